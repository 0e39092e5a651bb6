import type { Bypass } from "./bypass.js";
import { plainDelete } from "./rows/01-plain-delete.js";
import { tombstoneInTheSameTransaction } from "./rows/02-tombstone-in-the-same-transaction.js";
import { tombstoneInASavepoint } from "./rows/03-tombstone-in-a-savepoint.js";
import { settingAsPermission } from "./rows/04-setting-as-permission.js";
import { truncate } from "./rows/05-truncate.js";
import { replicaRole } from "./rows/06-replica-role.js";
import { disabledTrigger } from "./rows/07-disabled-trigger.js";
import { superuserRemovesEvidence } from "./rows/08-superuser-removes-evidence.js";
import { replacedBody } from "./rows/09-replaced-body.js";
import { drop } from "./rows/10-drop.js";
import { rewrittenColumn } from "./rows/11-rewritten-column.js";
import { emptiedText } from "./rows/12-emptied-text.js";
import { changedIdentity } from "./rows/13-changed-identity.js";
import { ruleInstead } from "./rows/14-rule-instead.js";
import { swallowingTrigger } from "./rows/15-swallowing-trigger.js";
import { cascadingKey } from "./rows/15b-cascading-key.js";
import { noTenant } from "./rows/16-no-tenant.js";
import { hiddenFromTheDeleter } from "./rows/17-hidden-from-the-deleter.js";
import { removedEdges } from "./rows/18-removed-edges.js";
import { inheritance } from "./rows/19-inheritance.js";
import { partition } from "./rows/20-partition.js";
import { detachedPartition } from "./rows/21-detached-partition.js";
import { otherDeletes } from "./rows/22-other-deletes.js";
import { copyFrom } from "./rows/23-copy-from.js";
import { restoreWithoutTriggers } from "./rows/24-restore-without-triggers.js";
import { logicalReplication } from "./rows/25-logical-replication.js";
import { partialPublication } from "./rows/26-partial-publication.js";
import { wholeRowsPublished } from "./rows/27-whole-rows-published.js";
import { delayedStandby } from "./rows/28-delayed-standby.js";
import { writerInFlight } from "./rows/29-writer-in-flight.js";
import { olderSnapshot } from "./rows/30-older-snapshot.js";
import { preparedTransaction } from "./rows/31-prepared-transaction.js";
import { copiesOutsideTheGraph } from "./rows/32-copies-outside-the-graph.js";
import { ownerRemovesEvidence } from "./rows/33-owner-removes-evidence.js";
import { belowTheDatabase } from "./rows/34-below-the-database.js";

/** Every way round the rules that was tried, in order. */
export const CORPUS: readonly Bypass[] = [
  plainDelete,
  tombstoneInTheSameTransaction,
  tombstoneInASavepoint,
  settingAsPermission,
  truncate,
  replicaRole,
  disabledTrigger,
  superuserRemovesEvidence,
  replacedBody,
  drop,
  rewrittenColumn,
  emptiedText,
  changedIdentity,
  ruleInstead,
  swallowingTrigger,
  cascadingKey,
  noTenant,
  hiddenFromTheDeleter,
  removedEdges,
  inheritance,
  partition,
  detachedPartition,
  otherDeletes,
  copyFrom,
  restoreWithoutTriggers,
  logicalReplication,
  partialPublication,
  wholeRowsPublished,
  delayedStandby,
  writerInFlight,
  olderSnapshot,
  preparedTransaction,
  copiesOutsideTheGraph,
  ownerRemovesEvidence,
  belowTheDatabase,
];
