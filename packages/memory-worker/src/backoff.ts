/** How the pause between two tries grows. */
export interface BackoffOptions {
  /** The pause after the first failure. Default: 2. */
  readonly baseSeconds?: number;
  /** No pause is longer. Default: 3,600. */
  readonly maxSeconds?: number;
}

/**
 * The pause after so many failed tries: doubled each time, and drawn between half and the whole of that, so that many
 * workers do not come back at the same moment. A sink that named a time is not asked before it.
 */
export function pauseAfter(
  tries: number,
  options: Required<BackoffOptions>,
  random: () => number,
  retryAfterSeconds = 0,
): number {
  const whole = Math.min(options.maxSeconds, options.baseSeconds * 2 ** Math.min(30, Math.max(0, tries - 1)));
  return Math.max(retryAfterSeconds, whole / 2 + (whole / 2) * random());
}
