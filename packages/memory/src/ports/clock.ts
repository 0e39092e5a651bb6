/** Time for the in-memory store. Postgres uses server time and never asks. */
export interface Clock {
  now(): Date;
}
