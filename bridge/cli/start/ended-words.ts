// Owns what the host's window says it ended. Pure: what there was goes in, a sentence comes out.

import { stripVTControlCharacters } from "node:util";
import { formatDuration } from "../../../protocol/times.ts";
import type { Terminal } from "../../../protocol/terminal.ts";
import { isCounted } from "../../terminals/terminal.ts";

/** More would be a wall of names. */
const MOST_NAMES = 5;
const LONGEST_NAME = 30;

export interface Ended {
  terminals(): readonly Terminal[];
  readonly people: readonly unknown[];
  readonly isEmbedded: boolean;
  readonly hasTunnel: boolean;
}

/** What a `BridgeRun` has of it. */
interface EndingRun {
  readonly pool: { list(): readonly Terminal[] };
  readonly people: readonly unknown[];
  readonly embedded: boolean;
  readonly tunnel: unknown;
}

/** Those that are asked about and named. */
export function countedOnes(all: readonly Terminal[]): readonly Terminal[] {
  return all.filter(isCounted);
}

/** Returns what the end of this run ends, told before it does. */
export function endedBy(run: EndingRun): string {
  const { pool, people, embedded: isEmbedded, tunnel } = run;
  const hasTunnel = tunnel !== undefined;
  return endedWords({ terminals: () => pool.list(), people, isEmbedded, hasTunnel });
}

/** Returns what a hang-up leaves, and how to get it back. */
export function formatLeft(count: number, graceMs: number): string {
  if (count === 0) return "Window closed. No terminals were open.";
  const [what, them] =
    count === 1
      ? ["1 terminal keeps running and waits", "it"]
      : [`${count} terminals keep running and wait`, "them"];
  return `Window closed. ${what} ${formatDuration(graceMs)}: \`pairpty\` gets ${them} back, \`pairpty stop\` ends ${them}.`;
}

export function endedWords(run: Ended): string {
  const all = countedOnes(run.terminals());
  const names = all.map(
    ({ command, name, title }) => name ?? title ?? command?.join(" ") ?? "shell",
  );
  const parts = [
    terminals(names),
    ...(run.isEmbedded ? ["the relay"] : []),
    ...(run.hasTunnel ? ["the tunnel"] : []),
  ];
  const [last, ...before] = parts.toReversed();
  const what = before.length === 0 ? last : `${before.toReversed().join(", ")} and ${last}`;
  const { length } = run.people;
  const people = length === 1 ? "1 person was" : `${length} people were`;
  return length === 0 ? `ended ${what}` : `ended ${what}; ${people} connected and told`;
}

function terminals(names: readonly string[]): string {
  if (names.length === 0) return "no terminals";
  const plain = names.slice(0, MOST_NAMES).map((name) => {
    const text = stripVTControlCharacters(name).replaceAll(/[\p{Cc}\p{Cf}]/gu, "");
    return text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME)}…` : text;
  });
  const more = names.length > MOST_NAMES ? ", …" : "";
  const count = names.length === 1 ? "1 terminal" : `${names.length} terminals`;
  return `${count} (${plain.join(", ")}${more})`;
}
