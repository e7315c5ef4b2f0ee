// Formats what a stop ended, and what a hang-up leaves. Pure.

import { stripVTControlCharacters } from "node:util";
import { formatDuration } from "../../../protocol/formats.ts";
import type { Person } from "../../../protocol/room.ts";
import type { Terminal } from "../../../protocol/terminal.ts";
import { isCounted } from "../../terminals/terminal.ts";

/** A longer list would be hard to read. */
const MAX_NAMES = 5;
const MAX_NAME_CHARS = 30;

export interface StopFacts {
  listTerminals(): readonly Terminal[];
  /** One row per person, who may have several tabs; the host is no guest. */
  readonly people: readonly Pick<Person, "host">[];
}

/** The part of `BridgeRun` that this needs. */
interface EndingRun {
  readonly pool: { list(): readonly Terminal[] };
  readonly room: { readonly visitors: { listPeople(): readonly Pick<Person, "host">[] } };
}

/** Returns the terminals that are counted and named. */
export function listCountedTerminals(all: readonly Terminal[]): readonly Terminal[] {
  return all.filter(isCounted);
}

/** Returns what stopping this run will end; called before it does. */
export function formatStop(run: EndingRun): string {
  const { pool, room } = run;
  const people = room.visitors.listPeople();
  return formatStopFacts({ listTerminals: () => pool.list(), people });
}

/** Returns what a hang-up leaves, and how to get it back. */
export function formatHangUp(count: number, graceMs: number): string {
  if (count === 0) return "Window closed. No terminals were open.";
  const [what, them] =
    count === 1
      ? ["1 terminal keeps running and waits", "it"]
      : [`${count} terminals keep running and wait`, "them"];
  return `Window closed. ${what} ${formatDuration(graceMs)}: \`pairpty\` gets ${them} back, \`pairpty stop\` ends ${them}.`;
}

export function formatStopFacts(run: StopFacts): string {
  const all = listCountedTerminals(run.listTerminals());
  const names = all.map(
    ({ command, name, title }) => name ?? title ?? command?.join(" ") ?? "shell",
  );
  const { length } = run.people.filter(({ host }) => host !== true);
  const guests = length === 1 ? "1 guest was" : `${length} guests were`;
  return length === 0 ? formatTerminals(names) : `${formatTerminals(names)} ${guests} notified.`;
}

function formatTerminals(names: readonly string[]): string {
  if (names.length === 0) return "No terminals were open.";
  const plain = names.slice(0, MAX_NAMES).map((name) => {
    const text = stripVTControlCharacters(name).replaceAll(/[\p{Cc}\p{Cf}]/gu, "");
    return text.length > MAX_NAME_CHARS ? `${text.slice(0, MAX_NAME_CHARS)}…` : text;
  });
  const more = names.length > MAX_NAMES ? ", …" : "";
  const count = names.length === 1 ? "1 terminal" : `${names.length} terminals`;
  return `${count} ended (${plain.join(", ")}${more}).`;
}
