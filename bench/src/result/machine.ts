import { cpus, totalmem } from "node:os";

/** The class of machine in general words: nothing that tells which one it is. */
export function machineClass(): string {
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  return `${process.platform} on ${process.arch}, ${String(cpus().length)} processors, ${String(gigabytes)} GiB`;
}
