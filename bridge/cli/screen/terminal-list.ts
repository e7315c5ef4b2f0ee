// Formats the first screen's list of terminals: name, owner, and how to type into each. Pure.

import type { Terminal } from "../../../protocol/terminal.ts";
import { escapeUnsafe } from "../output/escape-unsafe.ts";

const MAX_NAME_CHARS = 48;

export function formatTerminals(
  terminals: readonly Terminal[],
  typed: (words: string) => string,
): string[] {
  if (terminals.length === 0) return ["  No open terminals."];
  const all = terminals.toSorted((a, b) => (a.number ?? 0) - (b.number ?? 0));
  const lines = all.map((terminal) => {
    const { number, id, owner, startedBy = "an agent", isolation, feed } = terminal;
    const name = `  ${number ?? id}  ${formatName(terminal)}`;
    if (owner === "user") return `${name}  (${typed(`attach ${number ?? id}`)})`;
    const isolationNote = isolation === undefined ? "" : `, ${isolation}`;
    const whose = escapeUnsafe(startedBy).replaceAll("\n", " ");
    const attach = `attach ${number ?? id}`;
    // A terminal that shows an agent's command output takes no input.
    const how =
      feed === true ? `watch: ${typed(attach)}` : `step in: ${typed(`${attach} --step-in`)}`;
    return `${name}  of ${whose}${isolationNote}  (${how})`;
  });
  const keys = listStepInKeys(all);
  return keys.length === 0 ? lines : [...lines, `  Press ${keys.join(" or ")} to step in here`];
}

/** Returns the keys that step in to an agent's terminal: its number, if that is one digit. */
export function listStepInKeys(terminals: readonly Terminal[]): string[] {
  return terminals.flatMap(({ owner, feed, number }) =>
    owner === "agent" && feed !== true && number !== undefined && number <= 9 ? [`${number}`] : [],
  );
}

function formatName({ name: given, title, command, cwd }: Terminal): string {
  const name = escapeUnsafe(given ?? title ?? command?.join(" ") ?? cwd).replaceAll("\n", " ");
  return name.length <= MAX_NAME_CHARS ? name : `${name.slice(0, MAX_NAME_CHARS - 1)}…`;
}
