// Owns the commands about people: people, admit, turn-away.

import { formatDuration } from "../../../protocol/times.ts";
import { quoted } from "../../../protocol/quoting.ts";
import { calledBy, firstWord } from "../../../protocol/names.ts";
import type { Terminal } from "../../../protocol/terminal.ts";
import type { VisitorRow } from "../../doors/control/requests.ts";
import { ExitCode, UserError } from "../../errors.ts";
import type { CodeFlag } from "../flags/code.ts";
import { codeFrom } from "../flags/code.ts";
import { typedHere } from "../output/command-name.ts";
import { printJson, printLine, say, windowWidth } from "../output/output.ts";
import { table } from "../output/table.ts";
import { wrap } from "../output/wrap.ts";
import type { VerbFlags } from "./ask.ts";
import { askBridge, codeHint, warnUnsaved } from "./ask.ts";

export interface PeopleFlags extends VerbFlags, CodeFlag {
  readonly view?: boolean;
  readonly edit?: boolean;
  readonly remove?: boolean;
}

type Wanted = "view" | "edit" | "none";

export async function people(who: string | undefined, flags: PeopleFlags): Promise<void> {
  const role = roleOf(flags);
  if (role !== undefined) return await setRights(who, role, flags);
  const rows = await askBridge(flags, { verb: "people" });
  await warnUnsaved(flags);
  const wanted = who === undefined ? rows : rows.filter((row) => isCalled(row, who));
  if (who !== undefined && wanted.length === 0) {
    throw new UserError(
      `no one called ${who} is connected`,
      ExitCode.usage,
      "`pairpty people` lists everyone.",
    );
  }
  if (flags.json === true) return printJson(wanted);
  if (wanted.length === 0) return say("No one is connected.");
  const terminals = await askBridge(flags, { verb: "terminals" });
  const code = await codeHint(flags);
  return printLine(peopleText(wanted, terminals, { now: Date.now(), width: windowWidth(), code }));
}

export function peopleText(
  rows: readonly VisitorRow[],
  terminals: readonly Terminal[],
  { now, width, code = "" }: { now: number; width?: number | undefined; code?: string },
): string {
  const numbered = (id: string | undefined) => {
    const terminal = terminals.find((one) => one.id === id);
    return terminal === undefined ? "" : `terminal ${terminal.number ?? terminal.id}`;
  };
  const list = table(
    ["ID", "WHO", "ROLE", "SINCE", "STATE"],
    rows.map((row) => [
      row.id,
      calledOf(row),
      row.limited === true ? "view (limited)" : (row.role ?? ""),
      `${formatDuration(now - row.since)} ago`,
      doing(row, numbered),
    ]),
    width,
  );
  const hints = hintsOf(rows, code).map((hint) => wrap(hint, width ?? hint.length).join("\n"));
  return [list, ...hints].join("\n\n");
}

/** Returns hints about the first waiting guest and the first limited person. */
function hintsOf(rows: readonly VisitorRow[], code: string): string[] {
  const waiting = rows.find(({ state }) => state === "waiting");
  const limited = rows.find((row) => row.state === "here" && row.limited === true);
  const all: string[] = [];
  if (waiting) {
    const admits = `\`${typedHere(`admit ${waiting.id}${code}`)}\` lets in ${calledOf(waiting)}`;
    all.push(`${admits}; \`${typedHere(`turn-away ${waiting.id}`)}\` turns them away.`);
  }
  if (limited) {
    const lifts = typedHere(`people ${limited.id} --edit${code}`);
    all.push(`\`${lifts}\` lets ${calledOf(limited)} type again.`);
  }
  return all;
}

function calledOf({ name, label }: VisitorRow): string {
  return calledBy(name, label);
}

function doing(
  { state, looking, typing }: VisitorRow,
  numbered: (id: string | undefined) => string,
): string {
  if (state === "waiting") return "waiting to be let in";
  if (state === "away") return "removed";
  if (typing !== undefined) return `typing in ${numbered(typing)}`;
  const where = numbered(looking);
  return where === "" ? "connected" : `viewing ${where}`;
}

export async function admit(who: string, flags: VerbFlags & CodeFlag): Promise<void> {
  const done = await askBridge(flags, { verb: "admit", who, ...(await codeFrom(flags)) });
  if (flags.json === true) return printJson(done);
  return say(`${done.admitted} ${done.mayCome === true ? "can join again." : "is in."}`);
}

export async function turnAway(who: string, flags: VerbFlags): Promise<void> {
  const done = await askBridge(flags, { verb: "turn-away", who });
  if (flags.json === true) return printJson(done);
  return say(`Turned ${done.turnedAway} away. ${CLAIM}`);
}

async function setRights(who: string | undefined, role: Wanted, flags: PeopleFlags): Promise<void> {
  if (who === undefined) {
    throw new UserError(
      "name a person: a name, a label or an id",
      ExitCode.usage,
      "`pairpty people` lists everyone.",
    );
  }
  const code = await codeFrom(flags);
  const done = await askBridge(flags, { verb: "rights", who, role, ...code });
  if (flags.json === true) return printJson(done);
  return say(done.note ?? WORDS[role](done.who, who));
}

/** Ids are claimed by browsers, so a decision holds for one browser only. */
const CLAIM =
  "This applies to that browser only: another browser gets the link's full access. To stop that, revoke the link: `pairpty grants` lists its id for `pairpty revoke <id>`.";

/** Returns the confirmation of a change; `typed` is the name that the user gave. */
const WORDS: Readonly<Record<Wanted, (who: string, typed: string) => string>> = {
  view: (who, typed) =>
    `${who} can watch but not type; \`pairpty people ${quoted(typed)} --edit\` undoes that. ${CLAIM}`,
  edit: (who) => `${who} can type again.`,
  none: (who) => `Removed ${who}. ${CLAIM}`,
};

function roleOf({ view, edit, remove }: PeopleFlags): Wanted | undefined {
  if (view === true) return "view";
  if (edit === true) return "edit";
  return remove === true ? "none" : undefined;
}

function isCalled({ id, name, label }: VisitorRow, who: string): boolean {
  const lower = who.toLowerCase();
  const names = [name, label, calledBy(name, label), firstWord(name)];
  return id === who || names.some((one) => one?.toLowerCase() === lower);
}
