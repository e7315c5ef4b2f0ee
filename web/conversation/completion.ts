// Owns completing the slash commands that an agent offers. Pure.

import type { Conversation } from "../../protocol/conversation.ts";

export type Offered = Conversation["commands"][number];

/** More than this is no choice, but a list to read. */
const MOST = 8;

/** What may be meant by what stands before the cursor; nothing where no command is being written. */
export function offersFor(text: string, cursor: number, commands: readonly Offered[]): Offered[] {
  const [, word] = /^\/(\S*)$/.exec(text.slice(0, cursor)) ?? [];
  if (word === undefined) return [];
  const wanted = word.toLowerCase();
  const begins = ({ name }: Offered): boolean => name.toLowerCase().startsWith(wanted);
  const contains = ({ name }: Offered): boolean => name.toLowerCase().includes(wanted);
  const first = commands.filter(begins);
  const others = commands.filter((one) => !begins(one) && contains(one));
  return [...first, ...others].slice(0, MOST);
}

/** The command in the place of what was written of it; what follows stays. */
export function completed(
  text: string,
  cursor: number,
  { name }: Offered,
): { text: string; cursor: number } {
  const rest = text.slice(cursor).replace(/^\S*[ \t]?/, "");
  const written = `/${name} `;
  return { text: written + rest, cursor: written.length };
}

/** What the agent wants to hear behind a command that is written and has nothing behind it. */
export function hintFor(text: string, commands: readonly Offered[]): string | undefined {
  const [, name] = /^\/(\S+)\s*$/.exec(text) ?? [];
  return commands.find((one) => one.name === name)?.hint;
}
