import type { DerivedRow, MemoryRow } from "./rows.js";
import type { Placement } from "./placement.js";

/** A row that also concerns others is shown without its content, unless the host asks for shared rows. */
export interface WithheldRow {
  readonly id: string;
  readonly kind: string;
  readonly otherSubjects: number;
  readonly text: null;
  readonly withheld: "others";
}

/** One line of a person's export. `restricted` and `expired` rows are the person's own, and are shown to her. */
export type ExportedRow =
  | {
      readonly kind: "memory";
      readonly row: (MemoryRow & { readonly restricted?: true; readonly expired?: true }) | WithheldRow;
    }
  | {
      readonly kind: "derived";
      readonly row: (DerivedRow & { readonly restricted?: true; readonly expired?: true }) | WithheldRow;
    }
  | { readonly kind: "placement"; readonly row: Placement };
