import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** Source files by their path below `src/`. */
export type Sources = Readonly<Record<string, string>>;

export interface SourceProgram {
  readonly files: readonly ts.SourceFile[];
  readonly checker: ts.TypeChecker;
  file(path: string): ts.SourceFile | undefined;
  /** The path below `src/`. */
  pathOf(file: ts.SourceFile): string;
  /** Whether one of the sources declares it; if none does, it is a global (or nothing at all). */
  isDeclaredHere(symbol: ts.Symbol | undefined): boolean;
}

/** Every TypeScript file of a folder. */
export function readSources(folder: string): Sources {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  return Object.fromEntries(
    files.map((file) => [file.replaceAll("\\", "/"), readFileSync(join(folder, file), "utf8")]),
  );
}

const ROOT = "/package/src/";

/**
 * The sources as the compiler sees them, without any library: so whatever a file takes from its surroundings, be it
 * `Map` or `fetch`, is a name that nobody declares.
 */
export function sourceProgram(sources: Sources): SourceProgram {
  const texts = new Map(Object.entries(sources).map(([path, text]) => [ROOT + path, text]));
  texts.set("/package/package.json", '{ "type": "module" }');
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    strict: true,
    noLib: true,
    types: [],
    noEmit: true,
  };
  const host: ts.CompilerHost = {
    fileExists: (file) => texts.has(file),
    readFile: (file) => texts.get(file),
    getSourceFile: (file, target) => {
      const text = texts.get(file);
      return text === undefined ? undefined : ts.createSourceFile(file, text, target, true);
    },
    directoryExists: (folder) => [...texts.keys()].some((file) => file.startsWith(`${folder}/`)),
    getDirectories: () => [],
    getDefaultLibFileName: () => "lib.d.ts",
    getCurrentDirectory: () => "/package",
    getCanonicalFileName: (file) => file,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    writeFile: () => undefined,
  };
  const program = ts.createProgram(
    Object.keys(sources).map((path) => ROOT + path),
    options,
    host,
  );
  return {
    files: program.getSourceFiles(),
    checker: program.getTypeChecker(),
    file: (path) => program.getSourceFile(ROOT + path),
    pathOf: (file) => file.fileName.slice(ROOT.length),
    isDeclaredHere: (symbol) =>
      symbol?.declarations?.some((declaration) => declaration.getSourceFile().fileName.startsWith(ROOT)) ?? false,
  };
}
