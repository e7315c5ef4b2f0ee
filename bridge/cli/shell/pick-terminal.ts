// Resolves which terminal a word of the command line means. Pure.

import type { Terminal } from "../../../protocol/terminal.ts";
import { ExitCode, UserError } from "../../errors.ts";

const PREFIX = "pty-";

/**
 * Start of an id without `pty-`. Digits alone are always a number, so that a typo never picks another
 * terminal.
 */
const BARE_ID_START = /^(?!\d+$).{4,}$/;

/** Returns the terminal by its number, its id or the start of the id; without a word, the only one. */
export function pickTerminal<T extends Pick<Terminal, "id" | "number">>(
  terminals: readonly T[],
  word: string | undefined,
): T {
  const found = word === undefined ? terminals : findByWord(terminals, word);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw new UserError(
    formatPickError(found.length, word),
    ExitCode.usage,
    "`pairpty ls` lists them.",
  );
}

function findByWord<T extends Pick<Terminal, "id" | "number">>(
  terminals: readonly T[],
  word: string,
): readonly T[] {
  const numbered = terminals.filter(({ number }) => String(number) === word);
  if (numbered.length > 0) return numbered;
  const start = BARE_ID_START.test(word) && !word.startsWith(PREFIX) ? `${PREFIX}${word}` : word;
  // An empty word (an unset variable, for example) would match every terminal.
  if (!start.startsWith(PREFIX) || start === PREFIX) return [];
  return terminals.filter(({ id }) => id.startsWith(start));
}

function formatPickError(found: number, word: string | undefined): string {
  if (word !== undefined) {
    const name = JSON.stringify(word);
    return found === 0 ? `there is no terminal ${name}` : `${found} terminals match ${name}`;
  }
  return found === 0 ? "there are no open terminals" : `${found} terminals are open: name one`;
}
