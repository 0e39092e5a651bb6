import { EXIT } from "../../cli-error.js";
import { declareMemory, withMemory, type MemoryCommandOptions } from "../../connection/memory-options.js";
import { declareSubject, readSubject, type SubjectOptions } from "../../connection/subject.js";
import { readCount } from "../../text/count.js";
import { defineCommand } from "../command.js";
import { declareJson } from "../json-option.js";

interface HistoryOptions extends MemoryCommandOptions, SubjectOptions {
  readonly limit: string;
  readonly before?: string;
}

/** `demystify-memory history`: the tombstones of a tenant, or of one person. */
export const history = defineCommand<HistoryOptions>({
  name: "history",
  group: "prove",
  summary: "list the tombstones of the tenant, or of one person, newest first",
  declare: (command) =>
    void declareSubject(
      declareJson(declareMemory(command)),
      "only one person's: the key is asked for on a terminal, else read from standard input",
    )
      .option("--limit <rows>", "at most so many, 1 to 1,000", "100")
      .option("--before <erasure-id>", "only those before this one: the next page"),
  run: async (invocation) => {
    const { subjectStdin, limit, before } = invocation.options;
    const rows = readCount(limit, "--limit", { min: 1, max: 1_000 });
    return withMemory(invocation, async ({ memory, tenantKey }) => {
      const subjectKey =
        subjectStdin === true
          ? await readSubject(invocation, "history --tenant KEY --subject-stdin", "Whose history? Type their key.")
          : null;
      const tombstones = await memory.erasureHistory(tenantKey, {
        limit: rows,
        ...(subjectKey === null ? {} : { subjectKey }),
        ...(before === undefined ? {} : { before }),
      });
      return invocation.out.answer(EXIT.done, { tombstones }, (sheet) => {
        if (tombstones.length === 0) {
          sheet.line("No tombstone.");
          return;
        }
        sheet.table(
          ["erasure", "opened", "state", "reason", "ground", "memories", "derived"],
          tombstones.map((each) => [
            each.tombstoneId,
            each.openedAt.slice(0, 19),
            each.state,
            each.reason,
            each.legalBasis,
            each.counts.memories,
            each.counts.derived,
          ]),
        );
      });
    });
  },
});
