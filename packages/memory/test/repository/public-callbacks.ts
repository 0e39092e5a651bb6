import ts from "typescript";
import type { SourceProgram } from "./source-program.js";

/** Objects a host hands over on purpose, each a port with a written contract. */
const PORTS: ReadonlySet<string> = new Set(["EmbedderPort", "RedactorPort", "Clock", "Queryable", "MemoryStore"]);

/**
 * Places in the public API (`index.ts`) that accept a function: parameters, and properties of objects that are
 * passed in, however deep. A callback is a way out of the core that no rule on imports would see.
 */
export function acceptedCallbacks(program: SourceProgram, entry = "index.ts"): readonly string[] {
  const file = program.file(entry);
  const module = file === undefined ? undefined : program.checker.getSymbolAtLocation(file);
  if (file === undefined || module === undefined) throw new Error(`${entry} exports nothing`);
  const found = new Set<string>();
  const { checker } = program;
  const walked = new Set<ts.Type>();

  for (const symbol of checker.getExportsOfModule(module)) {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    if (target.flags & ts.SymbolFlags.Value) offers(checker.getTypeOfSymbol(target), symbol.name);
    if (target.flags & ts.SymbolFlags.Class) offers(checker.getDeclaredTypeOfSymbol(target), symbol.name);
  }
  return [...found].sort();

  /** Something a caller holds: what its signatures take in is what counts. */
  function offers(type: ts.Type, path: string): void {
    if (walked.has(type)) return;
    walked.add(type);
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()]) {
      for (const parameter of signature.getParameters()) {
        takes(checker.getTypeOfSymbol(parameter), `${path}(${parameter.name})`, new Set());
      }
    }
    if (type.flags & ts.TypeFlags.Object) {
      for (const property of checker.getPropertiesOfType(type)) {
        if (isPublic(property) && program.isDeclaredHere(property)) {
          offers(checker.getTypeOfSymbol(property), `${path}.${property.name}`);
        }
      }
    }
  }

  /** Something a caller passes in: it must be data, or a port. */
  function takes(type: ts.Type, path: string, seen: ReadonlySet<ts.Type>): void {
    if (seen.has(type)) return;
    const within = new Set([...seen, type]);
    if (type.isUnionOrIntersection()) {
      for (const member of type.types) takes(member, path, within);
      return;
    }
    const name = (type.aliasSymbol ?? type.getSymbol())?.name;
    if (name !== undefined && PORTS.has(name)) return;
    if (type.getCallSignatures().length + type.getConstructSignatures().length > 0) {
      found.add(path);
      return;
    }
    // An instance of a class of the package: its methods are this package's own code.
    if (type.isClass()) return;
    if (type.flags & ts.TypeFlags.Object) {
      for (const argument of checker.getTypeArguments(type as ts.TypeReference)) takes(argument, `${path}[]`, within);
      for (const property of checker.getPropertiesOfType(type)) {
        if (isPublic(property) && program.isDeclaredHere(property)) {
          takes(checker.getTypeOfSymbol(property), `${path}.${property.name}`, within);
        }
      }
    }
  }
}

function isPublic(symbol: ts.Symbol): boolean {
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
  return !(symbol.declarations ?? []).some((declaration) => {
    const name = ts.getNameOfDeclaration(declaration);
    return (name !== undefined && ts.isPrivateIdentifier(name)) || ts.getCombinedModifierFlags(declaration) & hidden;
  });
}
