import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { acceptedCallbacks } from "./repository/public-callbacks.js";
import { readSources, sourceProgram } from "./repository/source-program.js";
import type { Sources } from "./repository/source-program.js";
import { dynamicCode, forbiddenGlobals, forbiddenImports, outboundPortMethods } from "./repository/transport-rules.js";

const PACKAGE = fileURLToPath(new URL("../", import.meta.url));

describe("the core has no transport", () => {
  const sources = readSources(`${PACKAGE}src`);
  const core = sourceProgram(sources);

  test("it reads every source file", () => {
    expect(core.files.length).toBe(Object.keys(sources).length);
    expect(Object.keys(sources)).toContain("ports/memory-store.ts");
  });

  test("no file imports anything but the package's own files, #digest and (hashing) node:crypto", () => {
    expect(forbiddenImports(core)).toEqual([]);
  });

  test("no file loads code while running", () => {
    expect(dynamicCode(core)).toEqual([]);
  });

  test("no file uses a global but the language's own and random bytes", () => {
    expect(forbiddenGlobals(core)).toEqual([]);
  });

  test("no port has a method whose name promises an outbound effect", () => {
    expect(outboundPortMethods(core)).toEqual([]);
  });

  test("no public function takes a callback, other than the ports", () => {
    expect(acceptedCallbacks(core)).toEqual([]);
  });

  test("the package depends on nothing and runs nothing when it is installed", () => {
    const manifest = JSON.parse(readFileSync(`${PACKAGE}package.json`, "utf8")) as Manifest;

    expect(dependenciesAndHooks(manifest)).toEqual([]);
  });
});

describe("the guard against transport has been seen to fail", () => {
  test.each([
    ["a package", { "a.ts": 'import pg from "pg"; pg();' }],
    ["a provider's SDK", { "a.ts": 'import OpenAI from "openai"; new OpenAI();' }],
    ["a type of a package", { "a.ts": 'export type A = import("openai").Chat;' }],
    ["a type-only import of a package", { "a.ts": 'import type { Pool } from "pg"; export type A = Pool;' }],
    ["a re-export", { "a.ts": 'export * from "undici";' }],
    ["a Node module", { "hash/a.ts": 'import { connect } from "node:net"; connect();' }],
    ["a Node module without its prefix", { "a.ts": 'import "child_process";' }],
    ["node:crypto outside hash/", { "recall/a.ts": 'import { randomBytes } from "node:crypto"; randomBytes(1);' }],
    ["an old import", { "a.ts": 'import net = require("net"); net;' }],
    ["a reference", { "a.ts": '/// <reference types="node" />\nexport {};' }],
  ])("importing %s", (_what, sources) => {
    expect(forbiddenImports(sourceProgram(sources))).toHaveLength(1);
  });

  test.each([
    ["import()", 'const name = "pg"; await import(name); export {};'],
    ["import.meta", "import.meta.resolve;"],
    ["a function made from text", '(() => 1).constructor("return 1")();'],
    ["the same by index", '(() => 1)["constructor"]("return 1")();'],
  ])("loading code by %s", (_what, text) => {
    expect(dynamicCode(sourceProgram({ "a.ts": text }))).toHaveLength(1);
  });

  test.each([
    "fetch('x')",
    "const f = fetch",
    "const object = { fetch }",
    "new XMLHttpRequest()",
    "new WebSocket('x')",
    "new EventSource('x')",
    "navigator.sendBeacon('x')",
    "process.binding('x')",
    "Deno.connect({})",
    "Bun.spawn([])",
    "new Worker('x')",
    "importScripts('x')",
    "require('net')",
    "eval('1')",
    "new Function('1')",
    "setTimeout(() => 1, 1)",
    "setInterval(() => 1, 1)",
    "queueMicrotask(() => 1)",
    "console.log(1)",
    "globalThis.fetch('x')",
    "globalThis['fetch']",
    "const g = globalThis",
    "window.crypto",
    "class A extends Worker {}",
    "declare const fetch: (url: string) => void; fetch('x')",
  ])("the global in %s", (text) => {
    expect(forbiddenGlobals(sourceProgram({ "a.ts": `${text};\nexport {};` }))).not.toEqual([]);
  });

  test("what the package declares itself is not taken for a global", () => {
    const sources: Sources = {
      "a.ts": `
        import { process } from "./b.js";
        import type { Worker } from "./b.js";
        export function run(fetch: number, { window = 1, name: self }: { window?: number; name: number }): Worker {
          const object = { fetch, eval: 1, console: window };
          return { ...object, self: self + process + object.eval + globalThis.crypto.getRandomValues };
        }
        export interface Console { fetch(): void; }
        export class MyError extends Error implements Console { fetch(): void {} }`,
      "b.ts": "export const process = 1; export interface Worker { self: number }",
    };

    expect(forbiddenGlobals(sourceProgram(sources))).toEqual([]);
  });

  test.each([
    ["interface A { send(text: string): void }"],
    ["interface A { fetchPage(): void }"],
    ["interface A { readonly onWebhook: (text: string) => void }"],
    ["interface A { placementsPushed(): void; pushPlacements(): void }"],
    ["abstract class A { abstract notify(): void }"],
  ])("the port %s", (text) => {
    expect(outboundPortMethods(sourceProgram({ "ports/a.ts": `export ${text}` }))).toHaveLength(1);
    expect(outboundPortMethods(sourceProgram({ "redaction/a-port.ts": `export ${text}` }))).toHaveLength(1);
    expect(outboundPortMethods(sourceProgram({ "use-cases/a.ts": `export ${text}` }))).toEqual([]);
  });

  test.each([
    ["a function that takes one", "export function run(done: () => void): void {}", "run(done)"],
    ["a constant function", "export const run = (done?: () => void): void => {};", "run(done)"],
    ["a constructor's option", "export class A { constructor(o: { onErase?: () => void }) {} }", "A(o).onErase"],
    [
      "a method",
      "export class A { run(input: { hooks: { after: (() => void) | null } }): void {} }",
      "A.run(input).hooks.after",
    ],
    ["a method as property", "export class A { run(input: { after(): void }): void {} }", "A.run(input).after"],
    [
      "a method of a part",
      "export class A { readonly erasures = new B(); } class B { open(f: () => void): void {} }",
      "A.erasures.open(f)",
    ],
    ["a class it builds", "export class A { constructor(make: new () => object) {} }", "A(make)"],
  ])("a callback accepted by %s", (_what, text, place) => {
    expect(acceptedCallbacks(sourceProgram({ "index.ts": text }))).toEqual([place]);
  });

  test("ports and plain data are no callbacks", () => {
    const text = `
      export interface EmbedderPort { embed(texts: string[]): number[] }
      export interface Tree { readonly children: readonly Tree[]; readonly at: Date }
      export class Memory {
        #hidden(done: () => void): void {}
        private run(done: () => void): void {}
        constructor(options: { embedder?: EmbedderPort; tree: Tree }) {}
        list(): () => void { return () => {}; }
      }`;

    expect(acceptedCallbacks(sourceProgram({ "index.ts": text }))).toEqual([]);
  });

  test.each([
    ["a dependency", { dependencies: { pg: "1" } }],
    ["an optional dependency", { optionalDependencies: { openai: "1" } }],
    ["a bundled dependency", { bundledDependencies: ["undici"] }],
    ["a peer that must be installed", { peerDependencies: { pg: "1" } }],
    [
      "another optional peer",
      { peerDependencies: { openai: "1" }, peerDependenciesMeta: { openai: { optional: true } } },
    ],
    ["a script at installation", { scripts: { postinstall: "node x.js" } }],
  ])("%s in the manifest", (_what, manifest) => {
    expect(dependenciesAndHooks(manifest)).toHaveLength(1);
  });
});

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly bundledDependencies?: readonly string[];
  readonly bundleDependencies?: readonly string[];
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

/** The one peer is `pg`, which a host may bring and the core never imports. */
function dependenciesAndHooks(manifest: Manifest): readonly string[] {
  const peers = Object.keys(manifest.peerDependencies ?? {});
  return [
    ...Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }),
    ...(manifest.bundledDependencies ?? []),
    ...(manifest.bundleDependencies ?? []),
    ...peers.filter((name) => name !== "pg" || manifest.peerDependenciesMeta?.[name]?.optional !== true),
    ...Object.keys(manifest.scripts ?? {}).filter((name) => /^(?:pre|post)?(?:install|prepare)$/.test(name)),
  ];
}
