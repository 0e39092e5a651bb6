export type { BackoffOptions } from "./backoff.js";
export { tagOf, tenantTag, type Copy, type CopyTag } from "./copy.js";
export { prometheusText, prometheusTextFrom } from "./metrics/prometheus-text.js";
export { WorkerCounters } from "./metrics/worker-counters.js";
export { placeThenWrite, type PlaceThenWriteInput, type PlaceThenWriteResult } from "./place-then-write.js";
export type { RunReport } from "./round.js";
export { runOnce, type RunOptions } from "./run-once.js";
export { SinkError, type SinkErrorCode } from "./sink-error.js";
export type { Presence, Sink, SinkCall, SinkEntry } from "./sink.js";
export { chromaMetadata, chromaSink, type ChromaCollection, type ChromaSinkOptions } from "./sinks/chroma-sink.js";
export {
  elasticsearchFields,
  elasticsearchSink,
  type ElasticsearchOperations,
  type ElasticsearchSinkOptions,
} from "./sinks/elasticsearch-sink.js";
export { filesystemPath, filesystemSink, type FilesystemSinkOptions } from "./sinks/filesystem-sink.js";
export { isSignedRequest, signRequest, type SignedRequest } from "./sinks/http-signature.js";
export { httpSink, type HttpSinkOptions } from "./sinks/http-sink.js";
export { lanceDbSink, type LanceDbSinkOptions, type LanceTable } from "./sinks/lance-db-sink.js";
export {
  langGraphMetadata,
  langGraphSink,
  type LangGraphSaver,
  type LangGraphSinkOptions,
} from "./sinks/lang-graph-sink.js";
export { manualSink, type ManualSinkOptions } from "./sinks/manual-sink.js";
export { pineconeId, pineconeSink, type PineconeIndex, type PineconeSinkOptions } from "./sinks/pinecone-sink.js";
export { postgresSink, type PostgresSinkOptions } from "./sinks/postgres-sink.js";
export { qdrantPayload, qdrantSink, type QdrantOperations, type QdrantSinkOptions } from "./sinks/qdrant-sink.js";
export { redisSink, redisWrite, type RedisClient, type RedisSinkOptions, type RedisWrite } from "./sinks/redis-sink.js";
export { s3Key, s3Sink, type S3Operations, type S3SinkOptions } from "./sinks/s3-sink.js";
export type { SinkSweep, SweepFinding, SweepReport } from "./sweep-report.js";
export { sweep, type SweepOptions } from "./sweep.js";
export type { WorkerEvent } from "./worker-event.js";
export type { WorkerMemory } from "./worker-memory.js";
export type { WorkerOptions } from "./worker-options.js";
export { Worker } from "./worker.js";
