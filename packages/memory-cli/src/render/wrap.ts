/**
 * Breaks a paragraph at spaces so that no line is longer than `width`, unless one word is. Every line but the first is
 * indented; the first begins with `lead`.
 */
export function wrap(
  text: string,
  options: { readonly width: number; readonly lead: string; readonly indent: string },
): string {
  const lines: string[] = [];
  let line = options.lead;
  let empty = true;
  for (const word of text.split(" ")) {
    if (!empty && line.length + 1 + word.length > options.width) {
      lines.push(line);
      line = options.indent;
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  return [...lines, line].join("\n");
}
