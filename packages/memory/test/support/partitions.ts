/**
 * `TEST_PARTITIONS=4` installs in so many partitions wherever a template is migrated: the same tests must pass there,
 * but for the few that are about the shape of an installation without any.
 */
const ASKED_FOR = process.env["TEST_PARTITIONS"] ?? "";

/** What the templates are migrated with. */
export const INSTALL_CHOICES = ASKED_FOR === "" ? {} : { partitions: Number(ASKED_FOR) };

export const PARTITIONED = ASKED_FOR !== "";
