// Owns completing the slash commands that an agent offers. Pure.

import type { Conversation } from "../../protocol/conversation.ts";

export type OfferedCommand = Conversation["commands"][number];

/** More would be hard to choose from. */
const MAX_OFFERS = 8;

/** Returns commands that match the text before the cursor; none if no command is typed. */
export function findOffers(
  text: string,
  cursor: number,
  commands: readonly OfferedCommand[],
): OfferedCommand[] {
  const [, word] = /^\/(\S*)$/.exec(text.slice(0, cursor)) ?? [];
  if (word === undefined) return [];
  const wanted = word.toLowerCase();
  const begins = ({ name }: OfferedCommand): boolean => name.toLowerCase().startsWith(wanted);
  const contains = ({ name }: OfferedCommand): boolean => name.toLowerCase().includes(wanted);
  const first = commands.filter(begins);
  const others = commands.filter((one) => !begins(one) && contains(one));
  return [...first, ...others].slice(0, MAX_OFFERS);
}

/** Replaces the typed part with the whole command; the text after it stays. */
export function applyCompletion(
  text: string,
  cursor: number,
  { name }: OfferedCommand,
): { text: string; cursor: number } {
  const rest = text.slice(cursor).replace(/^\S*[ \t]?/, "");
  const written = `/${name} `;
  return { text: written + rest, cursor: written.length };
}

/** Returns the agent's hint for the argument of a command that has none yet. */
export function findHint(text: string, commands: readonly OfferedCommand[]): string | undefined {
  const [, name] = /^\/(\S+)\s*$/.exec(text) ?? [];
  return commands.find((one) => one.name === name)?.hint;
}
