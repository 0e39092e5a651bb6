/** Two-letter codes of India's states and territories on number plates and licences (Motor Vehicles Act, notifications). */
const STATES: ReadonlySet<string> = new Set(
  `AN AP AR AS BR CG CH DD DL DN GA GJ HP HR JH JK KA KL LA LD MH ML MN MP MZ NL OD OR PB PY RJ SK TN TR TS TG UA UK
  UP WB`.split(/\s+/),
);

export function isStateLetters(code: string): boolean {
  return STATES.has(code);
}
