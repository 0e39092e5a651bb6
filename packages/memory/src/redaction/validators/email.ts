/** RFC 5321, section 4.5.3.1: 64 for the local part; RFC 1035, section 2.3.4: 63 for a label; RFC 3696 errata: 254. */
export const LONGEST_LOCAL_PART = 64;
export const LONGEST_LABEL = 63;
export const LONGEST_ADDRESS = 254;

/** Endings of file names that are no top-level domains, so that `logo@2x.png` is a picture and not an address. */
const FILE_ENDINGS: ReadonlySet<string> = new Set(
  `png jpg jpeg gif svg webp bmp ico tif tiff avif heic psd pdf doc docx xls xlsx ppt pptx csv tsv txt log lock js mjs
  cjs jsx ts tsx css scss less json jsonl xml html htm yml yaml toml ini cfg conf sql db bak exe dll apk aab ipa jar
  war gz tgz tar bz2 7z rar mp3 mp4 m4a wav avi mkv webm woff woff2 ttf otf eot vue svelte kt swift java tmp`.split(
    /\s+/,
  ),
);

/** Endings after which a further label in capitals is the next sentence: `neha@example.com.Please call`. */
const COMMON_ENDINGS: ReadonlySet<string> = new Set("com in org net edu gov co io info biz".split(" "));

const VERSION_LABEL = /^v?\d+$/;

/** How much of the text after an `@` is a mail domain. */
export interface Domain {
  /** Labels that belong to it. */
  readonly labels: number;
  /** How many characters of the last one do: `com` of `com-2`. */
  readonly lastLength: number;
}

/**
 * The mail domain that the dot-separated `labels` after an `@` begin with; `null` if there is none. The last label
 * must be two letters or more (or an `xn--` form of some, RFC 5890); a file name or a version number is no domain.
 */
export function readDomain(labels: readonly string[]): Domain | null {
  if (VERSION_LABEL.test(labels[0] ?? "") && VERSION_LABEL.test(labels[1] ?? "")) return null;
  for (let count = endOfSentence(labels); count >= 2; count--) {
    const label = labels[count - 1] ?? "";
    if (FILE_ENDINGS.has(label.toLowerCase())) return null;
    const lastLength = topLevelLength(label);
    // "pay@10.each" is a price; of domains that are a number, the common endings are in use.
    const isPrice = count === 2 && /^\d+$/.test(labels[0] ?? "") && !COMMON_ENDINGS.has(label.toLowerCase());
    if (lastLength > 0) return isPrice ? null : { labels: count, lastLength };
  }
  return null;
}

/** How many labels there are before one in capitals that begins the next sentence. */
function endOfSentence(labels: readonly string[]): number {
  for (let index = 2; index < labels.length; index++) {
    if (COMMON_ENDINGS.has(labels[index - 1] ?? "") && /^[A-Z]/.test(labels[index] ?? "")) return index;
  }
  return labels.length;
}

/** `com` is one; `com-2` and `com9876543210` begin with one; `c`, `2x` and `mp3` do not. */
function topLevelLength(label: string): number {
  if (/^xn--[a-z0-9-]+$/i.test(label)) return label.length;
  const end = label.search(/[\d-]/);
  const length = end < 0 ? label.length : end;
  if (length < 2) return 0;
  return end < 0 || label.charAt(end) === "-" || /^\d{6}/.test(label.slice(end)) ? length : 0;
}
