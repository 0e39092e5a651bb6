import type { LineageNode } from "@demystify/memory";
import type { LineageGraph } from "./read-graph.js";

export type LineageFormat = "text" | "json" | "dot" | "mermaid";

/** A graph in each of the formats. Ids and codes only, so nothing needs escaping. */
export const LINEAGE_FORMATS: Readonly<Record<LineageFormat, (graph: LineageGraph) => string>> = {
  text: ({ kind, id, ancestors, descendants, copies }) =>
    lines([
      `${kind} ${id}`,
      "made from",
      ...indented(ancestors),
      "went into",
      ...indented(descendants),
      "copied to",
      ...(copies.length === 0 ? ["  nowhere"] : copies.map(({ sink, placementId }) => `  ${sink} ${placementId}`)),
    ]),

  json: (graph) => `${JSON.stringify(graph, null, 2)}\n`,

  dot: (graph) =>
    lines([
      "digraph lineage {",
      "  rankdir=LR;",
      "  node [shape=box, fontname=monospace];",
      ...nodesOf(graph).map(({ name, label, own }) => `  ${name} [label="${label}"${own ? ", style=bold" : ""}];`),
      ...graph.edges.map(({ from, to }) => `  ${nameOf(from)} -> ${nameOf(to)};`),
      ...graph.copies.map(({ placementId }) => `  ${nameOf(graph.id)} -> ${nameOf(placementId)} [style=dotted];`),
      "}",
    ]),

  mermaid: (graph) =>
    lines([
      "flowchart LR",
      ...nodesOf(graph).map(({ name, label }) => `  ${name}["${label}"]`),
      ...graph.edges.map(({ from, to }) => `  ${nameOf(from)} --> ${nameOf(to)}`),
      ...graph.copies.map(({ placementId }) => `  ${nameOf(graph.id)} -.-> ${nameOf(placementId)}`),
    ]),
};

function indented(nodes: readonly LineageNode[]): readonly string[] {
  if (nodes.length === 0) return ["  nothing"];
  return nodes.map(({ kind, id, depth }) => `${"  ".repeat(depth)}${kind} ${id}`);
}

function nodesOf({ kind, id, ancestors, descendants, copies }: LineageGraph) {
  return [
    { name: nameOf(id), label: `${kind} ${id}`, own: true },
    ...[...ancestors, ...descendants].map((node) => ({
      name: nameOf(node.id),
      label: `${node.kind} ${node.id}`,
      own: false,
    })),
    ...copies.map(({ placementId, sink }) => ({
      name: nameOf(placementId),
      label: `copy in ${sink} ${placementId}`,
      own: false,
    })),
  ];
}

/** A name that both languages take. */
function nameOf(id: string): string {
  return `n${id.replaceAll("-", "")}`;
}

function lines(all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}
