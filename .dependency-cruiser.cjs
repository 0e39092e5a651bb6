/**
 * The direction of dependencies (STYLE, "The shape"):
 *   domain ← ports ← use-cases ← memory.ts ← index.ts; adapters implement ports and see neither use cases nor each
 *   other; redaction stands alone; satellites enter by the front door.
 * Each rule has a test that plants a violation and sees that rule fail (test/repository/dependency-rules).
 */
const SRC = "^packages/memory/src/";

/** `folder` may import itself and `others`, and nothing else of the package. */
const layer = (name, folder, others, comment) => ({
  name,
  comment,
  severity: "error",
  from: { path: `${SRC}${folder}` },
  to: { path: SRC, pathNot: [folder, ...others].map((path) => `${SRC}${path}`) },
});

module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      comment: "A cycle has no first file to load. Types alone may refer to each other.",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    layer("domain-is-pure", "domain/", ["errors\\.ts$"], "Rules are decided on plain values, under everything else."),
    layer("errors-stand-low", "errors\\.ts$", ["domain/"], "Every layer throws them, so they use next to nothing."),
    layer(
      "ports-know-the-domain-only",
      "ports/",
      ["domain/", "errors\\.ts$"],
      "A port is what adapters and use cases agree on.",
    ),
    layer("redaction-stands-alone", "redaction/", ["errors\\.ts$"], "It can be read, tested and replaced by itself."),
    layer("recall-is-pure", "recall/", ["domain/", "errors\\.ts$"], "Adapters share it."),
    layer("hash-is-low", "hash/", ["domain/", "errors\\.ts$"], "Hashing knows no store and no use case."),
    layer(
      "use-cases-see-ports-not-adapters",
      "use-cases/",
      ["domain/", "ports/", "recall/", "hash/", "redaction/", "errors\\.ts$"],
      "A use case works on any store.",
    ),
    {
      name: "adapters-see-neither-use-cases-nor-each-other",
      comment: "An adapter implements the store port; two adapters may repeat themselves.",
      severity: "error",
      from: { path: `${SRC}adapters/([^/]+)/` },
      to: {
        path: SRC,
        pathNot: [
          `${SRC}adapters/$1/`,
          ...["domain/", "ports/", "recall/", "hash/", "errors\\.ts$"].map((path) => SRC + path),
        ],
      },
    },
    {
      name: "the-facade-stands-on-top",
      severity: "error",
      comment: "The files beside index.ts put the parts together; the parts do not know them.",
      from: { path: `${SRC}[^/]+/`, pathNot: `${SRC}testing/` },
      to: { path: `${SRC}[^/]+\\.ts$`, pathNot: `${SRC}errors\\.ts$` },
    },
    {
      name: "nothing-imports-the-entry",
      severity: "error",
      from: { path: SRC, pathNot: `${SRC}testing/` },
      to: { path: `${SRC}index\\.ts$` },
    },
    {
      name: "the-product-does-not-import-its-tests",
      severity: "error",
      from: { path: "^packages/[^/]+/src/", pathNot: `${SRC}testing/` },
      to: { path: [`${SRC}testing/`, "^packages/[^/]+/test/"] },
    },
    {
      name: "no-npm-package-in-the-core",
      comment: "The core has no runtime dependency.",
      severity: "error",
      from: { path: SRC },
      to: {
        dependencyTypes: ["npm", "npm-dev", "npm-peer", "npm-optional", "npm-bundled", "npm-no-pkg", "npm-unknown"],
      },
    },
    {
      name: "no-node-module-but-crypto",
      comment: "The core runs outside Node too.",
      severity: "error",
      from: { path: SRC },
      to: { dependencyTypes: ["core"], pathNot: "^(node:)?crypto$" },
    },
    {
      name: "node-crypto-behind-the-digest",
      severity: "error",
      from: { path: SRC, pathNot: `${SRC}hash/` },
      to: { dependencyTypes: ["core"], path: "^(node:)?crypto$" },
    },
    {
      name: "digest-by-its-name",
      comment: "#digest picks the implementation for the platform; naming a file would pin one.",
      severity: "error",
      from: { path: SRC, pathNot: `${SRC}hash/` },
      to: { path: `${SRC}hash/digest-(node|pure)\\.ts$` },
    },
    {
      name: "nothing-unresolvable",
      severity: "error",
      from: { path: "^packages/[^/]+/src/" },
      to: { couldNotResolve: true, pathNot: "^#digest$" },
    },
    {
      name: "satellites-enter-by-the-front-door",
      comment: "Other packages use what @demystify/memory exports.",
      severity: "error",
      from: { path: "^packages/(?!memory/)[^/]+/" },
      to: {
        path: "^packages/memory/",
        pathNot: "^packages/memory/(dist/(index|testing/index)\\.(d\\.ts|js)|migrations/|package\\.json$)",
      },
    },
  ],
  options: {
    doNotFollow: { path: ["node_modules", "^packages/[^/]+/dist/"] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["types", "import", "node", "default"],
      extensions: [".ts", ".js", ".mjs", ".json"],
    },
  },
};
