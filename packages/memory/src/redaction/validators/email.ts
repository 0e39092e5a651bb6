/** RFC 5321, section 4.5.3.1: 64 for the local part; RFC 1035, section 2.3.4: 63 for a label; RFC 3696 errata: 254. */
export const LONGEST_LOCAL_PART = 64;
export const LONGEST_LABEL = 63;
export const LONGEST_ADDRESS = 254;

/** Endings of file names that are no top-level domains, so that `logo@2x.png` is a picture and not an address. */
const FILE_ENDINGS: ReadonlySet<string> = new Set(
  `png jpg jpeg gif svg webp bmp ico tif tiff avif heic psd pdf doc docx xls xlsx ppt pptx csv tsv txt log lock js mjs
  cjs jsx ts tsx css scss less json jsonl xml html htm yml yaml toml ini cfg conf sql db bak exe dll apk aab ipa jar
  war gz tgz tar bz2 7z rar mp3 mp4 m4a wav avi mkv webm woff woff2 ttf otf eot vue svelte kt swift java tmp`.split(/\s+/),
);

/** Endings after which a further label in capitals is the next sentence: `neha@example.com.Please call`. */
const COMMON_ENDINGS: ReadonlySet<string> = new Set("com in org net edu gov co io info biz".split(" "));

const VERSION_LABEL = /^v?\d+$/;

/**
 * How many of the dot-separated `labels` after an `@` are a mail domain: 0 if none. The last one must be letters only
 * (or an `xn--` form of some, RFC 5890) and at least two; a file name or a version number is no domain.
 */
export function countDomainLabels(labels: readonly string[]): number {
  let count = labels.length;
  for (let index = 1; index < count; index++) {
    const label = labels[index] ?? "";
    const before = labels[index - 1] ?? "";
    if (COMMON_ENDINGS.has(before.toLowerCase()) && before === before.toLowerCase() && /^[A-Z]/.test(label)) {
      if (index >= 2) count = index;
    }
  }
  while (count >= 2 && !isTopLevel(labels[count - 1] ?? "")) count--;
  if (count < 2) return 0;
  if (FILE_ENDINGS.has((labels[count - 1] ?? "").toLowerCase())) return 0;
  return VERSION_LABEL.test(labels[0] ?? "") && VERSION_LABEL.test(labels[1] ?? "") ? 0 : count;
}

function isTopLevel(label: string): boolean {
  if (/^xn--[a-z0-9-]+$/i.test(label)) return true;
  return label.length >= 2 && !/[\d-]/.test(label);
}
