import type { Message } from "../input/message.js";

/** A person of a conversation. */
export interface Person {
  readonly subjectKey: string;
  readonly messages: number;
}

/** Everybody in a conversation, those with most messages first; ties in order of appearance. */
export function peopleOf(messages: readonly Message[]): readonly Person[] {
  const counts = new Map<string, number>();
  for (const { subjectKey } of messages) counts.set(subjectKey, (counts.get(subjectKey) ?? 0) + 1);
  return [...counts]
    .map(([subjectKey, count]) => ({ subjectKey, messages: count }))
    .sort((a, b) => b.messages - a.messages);
}
