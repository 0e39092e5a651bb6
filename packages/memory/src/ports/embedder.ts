/**
 * Turns texts into vectors. The host supplies it; it is the one way content can leave the process, so it only ever
 * sees redacted text (recall's query text included), and `forget` never calls it.
 */
export interface EmbedderPort {
  /** A name for the model, for the host's own records. */
  readonly model?: string;
  /** One vector per text, in order. All finite numbers, not all zero. */
  embed(texts: readonly string[]): Promise<readonly ArrayLike<number>[]>;
}
