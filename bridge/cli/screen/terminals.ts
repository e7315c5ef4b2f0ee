// Formats the first screen's list of terminals: name, owner, and how to type into each. Pure.

import type { Terminal } from "../../../protocol/terminal.ts";
import { plain } from "../output/plain.ts";

const MOST_CHARS = 48;

export function terminalLines(
  terminals: readonly Terminal[],
  typed: (words: string) => string,
): string[] {
  if (terminals.length === 0) return ["  No open terminals."];
  const all = terminals.toSorted((a, b) => (a.number ?? 0) - (b.number ?? 0));
  const lines = all.map((terminal) => {
    const { number, id, owner, startedBy = "an agent", isolation, feed } = terminal;
    const name = `  ${number ?? id}  ${nameOf(terminal)}`;
    if (owner === "user") return `${name}  (${typed(`attach ${number ?? id}`)})`;
    const wall = isolation === undefined ? "" : `, ${isolation}`;
    const whose = plain(startedBy).replaceAll("\n", " ");
    const attach = `attach ${number ?? id}`;
    // A terminal that shows an agent's command output takes no input.
    const how =
      feed === true ? `watch: ${typed(attach)}` : `step in: ${typed(`${attach} --step-in`)}`;
    return `${name}  of ${whose}${wall}  (${how})`;
  });
  const keys = stepKeys(all);
  return keys.length === 0 ? lines : [...lines, `  Press ${keys.join(" or ")} to step in here`];
}

/** Returns the keys that step in to an agent's terminal: its number, if that is one digit. */
export function stepKeys(terminals: readonly Terminal[]): string[] {
  return terminals.flatMap(({ owner, feed, number }) =>
    owner === "agent" && feed !== true && number !== undefined && number <= 9 ? [`${number}`] : [],
  );
}

function nameOf({ name: given, title, command, cwd }: Terminal): string {
  const name = plain(given ?? title ?? command?.join(" ") ?? cwd).replaceAll("\n", " ");
  return name.length <= MOST_CHARS ? name : `${name.slice(0, MOST_CHARS - 1)}…`;
}
