export { sinkConformanceCases, type SinkConformanceCase } from "./conformance-cases.js";
export { SinkConformanceFailure } from "./conformance-failure.js";
export type { SinkConformanceSetup } from "./given-sink.js";
