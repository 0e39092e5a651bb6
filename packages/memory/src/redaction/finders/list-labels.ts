import type { Label } from "../context/vocabulary.js";
import type { RedactionKind } from "../kinds.js";
import type { Mask } from "../mask.js";
import type { DigitGroups } from "./digit-groups.js";
import type { ListLabels } from "./number-site.js";

/** Remembers what each number turned out to be, so that the next item of a list can take after it. */
export class NumbersSoFar implements ListLabels {
  readonly #groups: DigitGroups;
  readonly #labels: (Label | null)[];
  readonly #masks: readonly Mask[];

  constructor(groups: DigitGroups, masks: readonly Mask[]) {
    this.#groups = groups;
    this.#labels = new Array<Label | null>(groups.count).fill(null);
    this.#masks = masks;
  }

  remember(group: number, label: Label | null): void {
    this.#labels[group] = label;
  }

  labelEndingAt(position: number, group: number): Label | null {
    if (group >= 0 && this.#groups.end(group) === position) return this.#labels[group] ?? null;
    let low = 0;
    let high = this.#masks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#masks[middle]?.end ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    const mask = this.#masks[low];
    return mask?.end === position ? labelOfKind(mask.kind) : null;
  }
}

/** The label that an identifier of `kind`, masked or not, hands on to its list. */
export function labelOfKind(kind: RedactionKind): Label | null {
  switch (kind) {
    case "bank_account":
      return "account";
    case "phone_in":
      return "phone";
    case "aadhaar":
      return "aadhaar";
    default:
      return null;
  }
}
