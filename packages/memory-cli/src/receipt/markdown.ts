import type { ReceiptPage } from "./page.js";

/** The page as Markdown. */
export function receiptMarkdown(page: ReceiptPage): string {
  const section = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`## ${title}`, "", ...lines.map((line) => `- ${escapeMarkdown(line)}`), ""];
  return [
    `# ${page.title}`,
    "",
    `**${escapeMarkdown(page.verdict)}**`,
    "",
    "| | |",
    "| --- | --- |",
    ...page.facts.map(([label, value]) => `| ${label} | ${escapeMarkdown(value)} |`),
    "",
    ...section("What was removed", page.removed),
    ...section("What is still open", page.open),
    ...section(
      "What was not reached, and why",
      page.notReached.map(({ code, why }) => `${code}: ${why}`),
    ),
    ...section("Remarks", page.remarks),
    "This receipt holds references, counts and codes; none of the erased content.",
    "",
  ].join("\n");
}

/** A tenant's key may hold anything: nothing of it is taken as mark-up. */
function escapeMarkdown(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]/gu, " ")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/[\\`*_[\]|#~!]/g, "\\$&");
}
