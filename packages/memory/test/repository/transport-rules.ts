import ts from "typescript";
import type { SourceProgram } from "./source-program.js";

/** What the core may take from its surroundings: the language, bytes and text, and random bytes. */
const ALLOWED_GLOBALS: ReadonlySet<string> = new Set(
  (
    "Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error Float32Array Float64Array " +
    "Infinity Int32Array Int8Array Intl Iterator JSON Map Math NaN Number Object Promise RangeError Reflect RegExp Set " +
    "String Symbol SyntaxError TypeError Uint16Array Uint32Array Uint8Array WeakMap WeakSet decodeURIComponent " +
    "encodeURIComponent isFinite isNaN parseFloat parseInt undefined arguments " +
    "TextDecoder TextEncoder atob btoa structuredClone crypto"
  ).split(" "),
);

const GLOBAL_OBJECTS: ReadonlySet<string> = new Set(["globalThis", "window", "self", "global"]);

/** Words of a method name that promise an effect outside the process. */
const OUTBOUND_WORDS: ReadonlySet<string> = new Set(
  (
    "send post put publish notify emit upload push fetch call webhook deliver dispatch request invoke transmit " +
    "broadcast stream mail email ping connect http download sync report track"
  ).split(" "),
);

/** Imports of anything but the package's own files, `#digest`, and (in `hash/`) `node:crypto`. */
export function forbiddenImports(program: SourceProgram): readonly string[] {
  return everyNode(program, (node, path) => {
    const name = importedName(node);
    if (name === undefined) return undefined;
    const allowed =
      /^\.{1,2}\//.test(name) || name === "#digest" || (name === "node:crypto" && path.startsWith("hash/"));
    return allowed ? undefined : `imports ${name}`;
  }).concat(
    program.files.flatMap((file) =>
      [...file.referencedFiles, ...file.typeReferenceDirectives, ...file.libReferenceDirectives].map(
        (reference) => `${program.pathOf(file)}: references ${reference.fileName}`,
      ),
    ),
  );
}

/** Ways to load code while running. */
export function dynamicCode(program: SourceProgram): readonly string[] {
  return everyNode(program, (node) => {
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return "imports dynamically";
    if (ts.isMetaProperty(node) && node.keywordToken === ts.SyntaxKind.ImportKeyword) return "uses import.meta";
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return undefined;
    const callee = node.expression;
    const name = ts.isPropertyAccessExpression(callee) ? callee.name.text : stringIndex(callee);
    return name === "constructor" ? "calls a constructor property" : undefined;
  });
}

/** Names that no source declares and that are not on the short list of what the core may use. */
export function forbiddenGlobals(program: SourceProgram): readonly string[] {
  return everyNode(program, (node) => {
    if (isAmbient(node)) return "declares a global";
    if (!ts.isIdentifier(node) || !isReference(node)) return undefined;
    const symbol = ts.isShorthandPropertyAssignment(node.parent)
      ? program.checker.getShorthandAssignmentValueSymbol(node.parent)
      : program.checker.getSymbolAtLocation(node);
    if (program.isDeclaredHere(symbol)) return undefined;
    if (!GLOBAL_OBJECTS.has(node.text)) return ALLOWED_GLOBALS.has(node.text) ? undefined : `uses ${node.text}`;
    const { parent } = node;
    const member = ts.isPropertyAccessExpression(parent) && parent.expression === node ? parent.name.text : undefined;
    return node.text === "globalThis" && member !== undefined && ALLOWED_GLOBALS.has(member)
      ? undefined
      : `uses ${node.text}${member === undefined ? "" : `.${member}`}`;
  });
}

/** Methods of a port whose name says that something leaves the process. */
export function outboundPortMethods(program: SourceProgram): readonly string[] {
  return everyNode(program, (node, path) => {
    if (!path.startsWith("ports/") && !path.endsWith("-port.ts")) return undefined;
    const isMethod =
      ts.isMethodSignature(node) ||
      ts.isMethodDeclaration(node) ||
      (ts.isPropertySignature(node) && node.type !== undefined && ts.isFunctionTypeNode(node.type));
    if (!isMethod) return undefined;
    const name = node.name.getText();
    const outbound = wordsOf(name).filter((word) => OUTBOUND_WORDS.has(word));
    return outbound.length > 0 ? `${name} says ${outbound.join(", ")}` : undefined;
  });
}

function everyNode(
  program: SourceProgram,
  judge: (node: ts.Node, path: string) => string | undefined,
): readonly string[] {
  const found: string[] = [];
  for (const file of program.files) {
    const path = program.pathOf(file);
    const visit = (node: ts.Node): void => {
      const fault = judge(node, path);
      if (fault !== undefined) {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
        found.push(`${path}:${String(line + 1)}: ${fault}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
  }
  return found;
}

function importedName(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
    return node.moduleSpecifier !== undefined && ts.isStringLiteral(node.moduleSpecifier)
      ? node.moduleSpecifier.text
      : undefined;
  }
  if (ts.isImportTypeNode(node)) return node.argument.getText().slice(1, -1);
  if (ts.isExternalModuleReference(node)) return node.expression.getText().slice(1, -1);
  return undefined;
}

function stringIndex(node: ts.Node): string | undefined {
  return ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)
    ? node.argumentExpression.text
    : undefined;
}

// `declare const fetch: …` would make a global look like a name of the package's own.
function isAmbient(node: ts.Node): boolean {
  return (
    ts.canHaveModifiers(node) &&
    !ts.isPropertyDeclaration(node) &&
    (ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword) ?? false)
  );
}

/** Whether the identifier stands for a value, rather than naming a member, a declaration or a type. */
function isReference(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  if (ts.isBindingElement(parent)) return parent.initializer === node;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent) || ts.isMetaProperty(parent)) return false;
  if (ts.isLabeledStatement(parent) || ts.isBreakOrContinueStatement(parent)) return false;
  const declared = (parent as ts.NamedDeclaration).name === node && !ts.isPropertyAccessExpression(parent);
  return !declared && !isInType(node);
}

function isInType(node: ts.Node): boolean {
  for (let at: ts.Node = node; !ts.isSourceFile(at); at = at.parent) {
    if (ts.isExpressionWithTypeArguments(at) && ts.isHeritageClause(at.parent)) {
      return at.parent.token === ts.SyntaxKind.ImplementsKeyword || ts.isInterfaceDeclaration(at.parent.parent);
    }
    if (ts.isTypeNode(at) || ts.isInterfaceDeclaration(at) || ts.isTypeAliasDeclaration(at)) return true;
    if (ts.isTypeParameterDeclaration(at)) return true;
    if (ts.isStatement(at)) return false;
  }
  return false;
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`)
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}
