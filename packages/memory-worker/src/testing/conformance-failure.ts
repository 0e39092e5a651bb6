/** A sink did not keep the contract. The message says which promise, and how it was broken. */
export class SinkConformanceFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SinkConformanceFailure";
  }
}

/** Fails unless the condition holds. */
export function mustHold(what: string, condition: boolean): asserts condition {
  if (!condition) throw new SinkConformanceFailure(what);
}
