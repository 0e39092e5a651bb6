import type { ProofLevel } from "@demystify/memory";
import { callWithin } from "./call-within.js";
import { toSinkError } from "./classify-failure.js";
import { tenantTag, type Copy } from "./copy.js";
import { isSeen, lookFor, type Looks } from "./looks.js";
import { positiveControl } from "./positive-control.js";
import type { Sink } from "./sink.js";
import { BlindSinkError, SinkError } from "./sink-error.js";

/** What is known of a copy after one try. */
export type Outcome =
  | { readonly gone: true; readonly proof: ProofLevel }
  /** The sink has taken the request and still shows the copy. */
  | { readonly gone: false };

export interface LookSettings {
  /** How long one call may take. */
  readonly seconds: number;
  readonly purge: boolean;
  readonly controlRequired: boolean;
  /** When which look last saw something, of which sink and tenant. */
  readonly seeing: Map<string, number>;
  readonly now: () => number;
  /** Is asked before every call and throws to end the work there: between any two calls it can be taken up again. */
  readonly goOn: () => Promise<void>;
}

/**
 * For how long a look is believed that has shown something. A place is renamed, and a replica falls behind, while a
 * worker runs: what it showed an hour ago says nothing about what it hides now.
 */
const BELIEVED_MILLISECONDS = 60_000;

/**
 * Destroys one copy and looks: before, under its ref, by its tag, and again after a purge. The proof is what these
 * looks have shown, never what the sink promised. A look counts only if it has just now seen something: this copy before
 * it was destroyed, another one, or an entry planted for it. Where nothing can be planted, whatever it has ever shown.
 *
 * @throws SinkError
 */
export async function destroyAndLook(sink: Sink, copy: Copy, settings: LookSettings): Promise<Outcome> {
  const { seconds, goOn } = settings;
  await goOn();
  const before = await lookFor(sink, copy, seconds);
  const { believed, failure } = await believedLooks(sink, copy, before, settings);

  await goOn();
  const promise = await callWithin(seconds, (call) => sink.destroy(copy, call));

  await goOn();
  if (isSeen(await lookFor(sink, copy, seconds))) {
    if (promise === "requested") return { gone: false };
    throw new SinkError("still_present");
  }
  // It was destroyed all the same: if it is there, it is better gone, whether or not that can be shown.
  if (!believed.byId && !believed.byTag && offersLook(sink)) {
    throw failure ?? new BlindSinkError();
  }
  const proof = proofOf(believed);

  await goOn();
  if (!settings.purge || sink.purge === undefined || proof !== "unfindable") return { gone: true, proof };
  if ((await callWithin(seconds, async (call) => sink.purge?.(copy, call))) !== "absent") {
    throw new SinkError("still_present");
  }
  await goOn();
  // A purge rewrites the place: it must not have brought the copy back.
  if (isSeen(await lookFor(sink, copy, seconds))) throw new SinkError("still_present");
  return { gone: true, proof: "purged" };
}

/** Which looks count. */
interface Believed {
  readonly byId: boolean;
  readonly byTag: boolean;
}

interface Belief {
  readonly believed: Believed;
  /** Why the control could not be made. */
  readonly failure?: SinkError;
}

async function believedLooks(sink: Sink, copy: Copy, before: Looks, settings: LookSettings): Promise<Belief> {
  const { seeing, now } = settings;
  const canShow = sink.plant !== undefined || sink.standingControl !== undefined;
  const isBelieved = (seenAt: number | undefined) =>
    seenAt !== undefined && (!canShow || now() - seenAt <= BELIEVED_MILLISECONDS);
  const of = (look: keyof Looks) => `${tenantTag(copy.tenantKey)} ${look} ${sink.name}`;
  const note = (looks: Looks) => {
    for (const look of ["byId", "byTag"] as const) if (looks[look] === "present") seeing.set(of(look), now());
  };
  // Seen under its ref and not by its tag: it carries none, so a search by tag says nothing about it.
  const untagged = before.byId === "present" && before.byTag === "absent";
  const counts = (look: keyof Looks) =>
    before[look] !== undefined && (!settings.controlRequired || isBelieved(seeing.get(of(look))));
  const believed = () => ({ byId: counts("byId"), byTag: counts("byTag") && !untagged });

  note(before);
  const unproven = (look: keyof Looks) => before[look] !== undefined && !counts(look);
  if (!unproven("byId") && !unproven("byTag")) return { believed: believed() };
  try {
    const control = await positiveControl(sink, copy.tenantKey, settings.seconds);
    if (control !== undefined) note(control);
    return { believed: believed() };
  } catch (thrown) {
    return { believed: believed(), failure: toSinkError(thrown) };
  }
}

function offersLook(sink: Sink): boolean {
  return sink.readBackById !== undefined || sink.readBackByTag !== undefined;
}

function proofOf({ byId, byTag }: Believed): ProofLevel {
  if (byId && byTag) return "unfindable";
  return byId || byTag ? "absent" : "acknowledged";
}
