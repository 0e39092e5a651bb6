const TITLES: Readonly<Record<string, string>> = {
  remember: "Writing memories",
  derive: "Deriving",
  "recall-terms": "Recall by terms",
  "recall-vector": "Recall by vectors",
  "recall-tenants": "Recall among many tenants",
  "recall-hidden": "Recall while something is hidden",
  "vector-index": "The vector index of a large tenant",
  forget: "Forgetting",
  "forget-many": "Forgetting a person of many memories",
  "direct-delete": "A plain DELETE",
  reconcile: "Reconciling",
  redaction: "Redaction",
  "round-trips": "Round trips",
  peers: "Peers",
};

/** In which order the cases are run and shown. */
export const CASE_ORDER: readonly string[] = Object.keys(TITLES);

export function titleOf(name: string): string {
  return TITLES[name] ?? name;
}
