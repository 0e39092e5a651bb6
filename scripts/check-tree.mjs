// Every file that is or would be committed is read once for what must not be in it: paths of a machine, hosts in the lock file, marks of
// unfinished work, conflict markers, and tests that are switched off.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const SELF = "scripts/check-tree.mjs";

// Put together here, so that the words themselves stand nowhere in the tree.
const UNFINISHED = new RegExp(
  `\\b(?:${["TO-DO", "FIX-ME", "X-X-X"].map((mark) => mark.replaceAll("-", "")).join("|")})\\b`,
);

const RULES = [
  { what: "a path of somebody's machine", pattern: /(?:^|[\s"'`(=])\/(?:home|Users|root|work)\/\w/m },
  { what: "a registry host in the lock file", pattern: /"resolved": "(?!packages\/)/, files: /package-lock\.json$/ },
  { what: "a mark of unfinished work", pattern: UNFINISHED, files: /\.(?:ts|js|mjs|cjs|sql|md|sh)$/ },
  { what: "a conflict marker", pattern: /^(?:<{7}|>{7}) /m },
  { what: "a test switched off", pattern: /\b(?:test|describe|it)\.(?:only|skip|todo)\(/, files: /\.test\.ts$/ },
  { what: "a private key", pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----/ },
];

const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
const files = execFileSync("git", list, { cwd: ROOT, encoding: "utf8" })
  .split("\0")
  .filter((file) => file !== "" && existsSync(`${ROOT}${file}`));
let faults = 0;
for (const file of files) {
  if (file === SELF) continue;
  const text = readFileSync(`${ROOT}${file}`, "utf8");
  for (const { what, pattern, files: only } of RULES) {
    if (only !== undefined && !only.test(file)) continue;
    const at = text.search(pattern);
    if (at < 0) continue;
    console.error(`${file}:${String(text.slice(0, at).split("\n").length)}: ${what}`);
    faults += 1;
  }
}
console.log(`${String(files.length)} files read, ${String(faults)} faults`);
process.exitCode = faults > 0 ? 1 : 0;
