export { grantsSql } from "./grants-sql.js";
export { configure, migrate, type InstallChoices, type MigrationPlan, plan } from "./migrations.js";
export type { Migration } from "./migrations.generated.js";
export { PgMemoryStore, type PgMemoryStoreOptions } from "./pg-memory-store.js";
export type { Queryable } from "./queryable.js";
export { ensureVectorIndex, type VectorIndexInput, type VectorIndexPlan } from "./vector-index.js";
export { type InstallCheck, verifyInstall } from "./verify-install.js";
