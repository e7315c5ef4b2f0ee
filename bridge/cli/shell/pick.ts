// Owns which terminal a word of the command line means. Pure.

import type { Terminal } from "../../../protocol/terminal.ts";
import { ExitCode, UserError } from "../../errors.ts";

const PREFIX = "pty-";

/** Of an id without its `pty-`. A number is a tab's alone: mistyped, it must mean no other terminal. */
const BARE_START = /^(?!\d+$).{4,}$/;

/** By the number that `ls` and the page show, by its id or the beginning of that, or the only one. */
export function pick<T extends Pick<Terminal, "id" | "number">>(
  terminals: readonly T[],
  word: string | undefined,
): T {
  const found = word === undefined ? terminals : named(terminals, word);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw new UserError(whyNone(found.length, word), ExitCode.usage, "`pairpty ls` lists them.");
}

function named<T extends Pick<Terminal, "id" | "number">>(
  terminals: readonly T[],
  word: string,
): readonly T[] {
  const numbered = terminals.filter(({ number }) => String(number) === word);
  if (numbered.length > 0) return numbered;
  const start = BARE_START.test(word) && !word.startsWith(PREFIX) ? `${PREFIX}${word}` : word;
  // Without a letter of the id, as from a variable that is not set, it would be whichever there is.
  if (!start.startsWith(PREFIX) || start === PREFIX) return [];
  return terminals.filter(({ id }) => id.startsWith(start));
}

function whyNone(found: number, word: string | undefined): string {
  if (word !== undefined) {
    const name = JSON.stringify(word);
    return found === 0 ? `there is no terminal ${name}` : `${found} terminals begin with ${name}`;
  }
  return found === 0 ? "no terminals are open" : `${found} terminals are open: say which`;
}
