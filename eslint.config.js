import regexp from "eslint-plugin-regexp";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

export default defineConfig(
  { ignores: ["**/dist/", "**/coverage/", "**/*.generated.ts", "**/node_modules/", "**/.demystify-memory-demo/"] },
  {
    files: ["**/*.{js,mjs,cjs,ts}"],
    extends: [regexp.configs["flat/recommended"]],
    linterOptions: { reportUnusedDisableDirectives: "error", reportUnusedInlineConfigs: "error" },
    rules: {
      // Redaction runs over whatever people write: no pattern may take more than linear time.
      "regexp/no-super-linear-backtracking": "error",
      "regexp/no-super-linear-move": "error",
      "no-warning-comments": ["error", { terms: ["todo", "fixme", "xxx"], location: "anywhere" }],
      eqeqeq: ["error", "always", { null: "ignore" }],
    },
  },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ["vitest.config.ts"] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      // A port's method is async so that what it refuses is a rejection, whether or not it has to wait.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { ignoreRestSiblings: true, varsIgnorePattern: "^_", argsIgnorePattern: "^_" },
      ],
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
    },
  },
  {
    files: ["packages/*/src/**/*.ts"],
    rules: {
      "max-lines": ["error", { max: 450 }],
      // The front door checks what callers without a compiler may pass.
      "@typescript-eslint/no-unnecessary-condition": "off",
    },
  },
  {
    files: ["packages/memory/src/**/*.ts"],
    rules: { "no-console": "error" },
  },
  {
    // Loops over typed arrays, whose elements within the length are always there.
    files: ["packages/memory/src/{hash,recall}/**/*.ts"],
    rules: { "@typescript-eslint/no-non-null-assertion": "off" },
  },
  {
    // A line of an example may show what a value is, and do nothing with it.
    files: ["examples/**/*.ts"],
    rules: { "@typescript-eslint/no-unused-expressions": "off" },
  },
  {
    files: ["packages/*/test/**/*.ts", "bench/**/*.ts"],
    rules: {
      // A test may hand over what the compiler would refuse: that is what it tests.
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "no-restricted-properties": [
        "error",
        ...["test", "describe", "it"].flatMap((object) =>
          ["only", "skip", "todo"].map((property) => ({ object, property })),
        ),
      ],
    },
  },
);
