import { subjectHash } from "@demystify/memory";
import { EXIT } from "../../cli-error.js";
import { declareTenant, requireTenant } from "../../connection/memory-options.js";
import { declarePepper, readPepper, type PepperOptions } from "../../connection/pepper.js";
import { declareSubject, readSubject, type SubjectOptions } from "../../connection/subject.js";
import { defineCommand } from "../command.js";
import { declareJson } from "../json-option.js";

interface FingerprintOptions extends PepperOptions, SubjectOptions {
  readonly tenant?: string;
}

/** `demystify-memory fingerprint`: the hash that stands for a person in the evidence. Needs no database. */
export const fingerprint = defineCommand<FingerprintOptions>({
  name: "fingerprint",
  group: "prove",
  summary: "print the hash that stands for a person in tombstones and receipts; needs no database",
  declare: (command) => void declareSubject(declarePepper(declareTenant(declareJson(command)))),
  run: async (invocation) => {
    const tenantKey = requireTenant(invocation);
    const pepper = readPepper(invocation);
    const line = "fingerprint --tenant KEY";
    const subjectKey = await readSubject(invocation, line, "Whose fingerprint? Type their key.");
    const hash = subjectHash({ tenantKey, subjectKey, ...(pepper === null ? {} : { pepper }) });
    const keyed = pepper !== null;
    if (!keyed) invocation.progress.note("Note: no pepper is set, so this hash can be guessed.");
    return invocation.out.answer(EXIT.done, { subjectHash: hash, keyed }, (sheet) => sheet.line(hash));
  },
});
