import { UsageError } from "../cli-error.js";
import type { Conversation } from "../input/message.js";
import { askForPerson, canAsk, readKeyFromStdin } from "../terminal/ask.js";
import type { Console } from "../terminal/console.js";
import type { Interrupt } from "../terminal/interrupt.js";
import { peopleOf, type Person } from "./people.js";
import { SAMPLE } from "./sample.js";

/**
 * Decides whom the demo forgets, before anything is stored. The key is asked for or read from standard input; as an
 * argument it would stay in the shell's history and in the list of processes.
 *
 * @throws {UsageError} without the key in its message
 */
export async function choosePerson(
  console: Console,
  interrupt: Interrupt,
  conversation: Conversation,
  options: { readonly ask: boolean; readonly sample: boolean },
): Promise<Person> {
  const people = peopleOf(conversation.messages);
  const subjectKey = await chooseKey(console, interrupt, people, options);
  const person = people.find((each) => each.subjectKey === subjectKey);
  if (person === undefined) {
    throw new UsageError(
      `nobody in ${conversation.file} has the key that was given (${people.length} people have messages there)`,
      "Give the key exactly as the file has it; upper and lower case and spaces count.",
    );
  }
  return person;
}

async function chooseKey(
  console: Console,
  interrupt: Interrupt,
  people: readonly Person[],
  options: { readonly ask: boolean; readonly sample: boolean },
): Promise<string | undefined> {
  if (!options.ask) return options.sample ? SAMPLE.subjectKey : people[0]?.subjectKey;
  if (canAsk(console)) return askForPerson(console, interrupt, people);
  return readKeyFromStdin(console, interrupt);
}
