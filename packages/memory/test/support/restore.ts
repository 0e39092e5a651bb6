import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type pg from "pg";
import { guardedFolder } from "./guarded-folder.js";
import { Cluster } from "./native-postgres.js";
import { findBinaries, runnableBy } from "./postgres-binaries.js";
import { unprivilegedUser } from "./postgres-user.js";

/** Server settings that keep every log segment in `archive`, for a base backup to be rolled forward with. */
export function archivingSettings(archive: string): Readonly<Record<string, string>> {
  return {
    wal_level: "replica",
    full_page_writes: "on",
    archive_mode: "on",
    archive_command: `cp "%p" "${archive}/%f"`,
    max_wal_senders: "0",
  };
}

/** A folder that the server's user may write to. */
export function serverFolder(path: string): string {
  mkdirSync(path, { recursive: true });
  const owner = unprivilegedUser();
  if (owner !== undefined) chownSync(path, owner.uid, owner.gid);
  return path;
}

/** Copies the files of the running server, as a backup tool does: between `pg_backup_start` and `pg_backup_stop`. */
export async function takeBaseBackup(cluster: Cluster, client: pg.Client, target: string): Promise<void> {
  await client.query("select pg_backup_start('drill', true)");
  cpSync(cluster.dataDir, target, {
    recursive: true,
    filter: (source) => !/\/(?:postmaster\.(?:pid|opts)|pg_wal\/[0-9A-F]{24}|pg_replslot\/.+)$/.test(source),
  });
  const { rows } = await client.query<{ labelfile: string; spcmapfile: string }>(
    "select labelfile, spcmapfile from pg_backup_stop(true)",
  );
  writeFileSync(join(target, "backup_label"), rows[0]!.labelfile);
  if (rows[0]!.spcmapfile !== "") writeFileSync(join(target, "tablespace_map"), rows[0]!.spcmapfile);
}

/** A second server, restored from a base backup and rolled forward to the named point; the first one's superuser. */
export async function restoreTo(
  point: string,
  given: { readonly backup: string; readonly archive: string; readonly like: Cluster },
): Promise<Cluster> {
  const user = unprivilegedUser();
  const folder = guardedFolder();
  try {
    const data = join(folder.path, "data");
    cpSync(given.backup, data, { recursive: true });
    for (const name of ["pg_wal", "pg_replslot"]) mkdirSync(join(data, name), { recursive: true });
    writeFileSync(join(data, "recovery.signal"), "");
    appendFileSync(
      join(data, "postgresql.auto.conf"),
      `\nrestore_command = 'cp "${given.archive}/%f" "%p"'\nrecovery_target_name = '${point}'\n` +
        "recovery_target_action = 'promote'\n",
    );
    ownAll(folder.path, user);
    chmodSync(data, 0o700);
    const password = new URL(given.like.url()).password;
    const bin = runnableBy(user, given.like.bin, folder.path);
    // Recovery refuses to begin with fewer of these than the first server had.
    const settings = { fsync: "off", max_connections: "100", max_prepared_transactions: "20" };
    const cluster = new Cluster({ bin, folder, password, user, settings });
    await cluster.start();
    return cluster;
  } catch (error) {
    folder.remove();
    throw error;
  }
}

function ownAll(path: string, user: { readonly uid: number; readonly gid: number } | undefined): void {
  if (user === undefined) return;
  chownSync(path, user.uid, user.gid);
  for (const entry of readdirSync(path, { recursive: true, encoding: "utf8" })) {
    chownSync(join(path, entry), user.uid, user.gid);
  }
}

/**
 * A folder of binaries that has `pg_dump` too: the one the tests run on, else the newest installed. The npm package that
 * the tests run on by default ships none.
 */
export function dumpBinaries(): string | undefined {
  const installed = "/usr/lib/postgresql";
  const others = existsSync(installed)
    ? readdirSync(installed)
        .sort((a, b) => Number(b) - Number(a))
        .map((major) => join(installed, major, "bin"))
    : [];
  return [findBinaries(), ...others].find((bin) =>
    ["initdb", "postgres", "pg_dump", "pg_restore"].every((name) => existsSync(join(bin, name))),
  );
}

/** Runs one of the client programs against a server, and fails with what it said. */
export function runProgram(bin: string, name: "pg_dump" | "pg_restore", ...args: readonly string[]): void {
  const result = spawnSync(join(bin, name), args, {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], LC_ALL: "C" },
  });
  if (result.status !== 0) throw new Error(`${name}: ${result.error?.message ?? result.stderr}`);
}
