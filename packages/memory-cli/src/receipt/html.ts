import type { ReceiptPage } from "./page.js";

const STYLE = `
  :root { color-scheme: light; }
  body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.6rem; margin: 0 0 1rem; }
  h2 { font-size: 1.1rem; margin: 1.6rem 0 0.4rem; }
  .verdict { border-left: 0.4rem solid; padding: 0.6rem 1rem; font-weight: 600; }
  .complete { border-color: #14692e; background: #eef7f0; }
  .incomplete { border-color: #a11; background: #fdf0f0; }
  table { border-collapse: collapse; width: 100%; margin-top: 1rem; }
  th, td { text-align: left; vertical-align: top; padding: 0.3rem 0.6rem 0.3rem 0; border-bottom: 1px solid #ddd; overflow-wrap: anywhere; }
  th { width: 11rem; font-weight: 600; }
  code { font-family: ui-monospace, monospace; font-size: 0.9em; }
  footer { margin-top: 2rem; font-size: 0.85rem; color: #555; }
  @media print { body { margin: 0; font-size: 11pt; } h2 { break-after: avoid; } li, tr { break-inside: avoid; } }
`;

/** The page as one HTML file: nothing is loaded from anywhere, and nothing in it runs. */
export function receiptHtml(page: ReceiptPage): string {
  const section = (id: string, title: string, items: readonly string[]) =>
    items.length === 0
      ? ""
      : `<section aria-labelledby="${id}">\n<h2 id="${id}">${title}</h2>\n<ul>\n${items.map((item) => `<li>${item}</li>`).join("\n")}\n</ul>\n</section>\n`;
  const facts = page.facts
    .map(([label, value]) => `<tr><th scope="row">${escapeHtml(label)}</th><td>${escapeHtml(value)}</td></tr>`)
    .join("\n");
  const notReached = page.notReached.map(({ code, why }) => `<code>${escapeHtml(code)}</code>: ${escapeHtml(why)}`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(page.title)}${page.complete ? "" : " (not complete)"}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeHtml(page.title)}</h1>
<p class="verdict ${page.complete ? "complete" : "incomplete"}">${escapeHtml(page.verdict)}</p>
<table>
<tbody>
${facts}
</tbody>
</table>
${section("removed", "What was removed", page.removed.map(escapeHtml))}${section("open", "What is still open", page.open.map(escapeHtml))}${section("not-reached", "What was not reached, and why", notReached)}${section("remarks", "Remarks", page.remarks.map(escapeHtml))}</main>
<footer>This receipt holds references, counts and codes; none of the erased content.</footer>
</body>
</html>
`;
}

export function escapeHtml(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, " ")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;")
    .replace(/'/g, "&#39;");
}
