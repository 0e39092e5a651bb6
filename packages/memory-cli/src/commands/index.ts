import type { CommandDefinition } from "./command.js";
import { correct } from "./erase/correct.js";
import { expire } from "./erase/expire.js";
import { forget } from "./erase/forget.js";
import { hold } from "./erase/hold.js";
import { holds } from "./erase/holds.js";
import { lift } from "./erase/lift.js";
import { release } from "./erase/release.js";
import { restrict } from "./erase/restrict.js";
import { attest } from "./follow/attest.js";
import { confirm } from "./follow/confirm.js";
import { erasure } from "./follow/erasure.js";
import { erasures } from "./follow/erasures.js";
import { escalate } from "./follow/escalate.js";
import { retry } from "./follow/retry.js";
import { exportTombstones } from "./guard/export-tombstones.js";
import { replay } from "./guard/replay.js";
import { scan } from "./guard/scan.js";
import { sweep } from "./guard/sweep.js";
import { doctor } from "./install/doctor.js";
import { grants } from "./install/grants.js";
import { migrate } from "./install/migrate.js";
import { plan } from "./install/plan.js";
import { uninstall } from "./install/uninstall.js";
import { verify } from "./install/verify.js";
import { version } from "./install/version.js";
import { completion } from "./operate/completion.js";
import { demo } from "./operate/demo.js";
import { importMessages } from "./operate/import.js";
import { metrics } from "./operate/metrics.js";
import { worker } from "./operate/worker.js";
import { exportSubject } from "./prove/export.js";
import { fingerprint } from "./prove/fingerprint.js";
import { history } from "./prove/history.js";
import { lineage } from "./prove/lineage.js";
import { receipt } from "./prove/receipt.js";

/** Every command, in the order of the help text. */
export const COMMANDS: readonly CommandDefinition[] = [
  ...[plan, migrate, version, verify, doctor, grants, uninstall],
  ...[forget, restrict, lift, hold, holds, release, expire, correct],
  ...[erasures, erasure, retry, confirm, attest, escalate],
  ...[receipt, history, fingerprint, exportSubject, lineage],
  ...[sweep, scan, exportTombstones, replay],
  ...[worker, metrics, importMessages, demo, completion],
];
