// Owns the commands about people: people, admit, turn-away.

import { formatDuration, quoteWord } from "../../../protocol/formats.ts";
import { displayName, firstWord } from "../../../protocol/names.ts";
import type { Terminal } from "../../../protocol/terminal.ts";
import type { ControlAnswers, VisitorRow } from "../../doors/control/control-requests.ts";
import { ExitCode, UserError } from "../../errors.ts";
import type { CodeFlag } from "../flags/parse-arguments.ts";
import { readCode } from "../flags/parse-arguments.ts";
import { formatCommandHere } from "../output/command-name.ts";
import { printJson, printLine, printNote, getWindowWidth } from "../output/output.ts";
import { formatTable } from "../output/table.ts";
import { wrapText } from "../output/format-text.ts";
import type { VerbFlags } from "./bridge-request.ts";
import { askBridge, getCodeHint, warnUnsaved } from "./bridge-request.ts";

export interface PeopleFlags extends VerbFlags, CodeFlag {
  readonly view?: boolean;
  readonly edit?: boolean;
  readonly remove?: boolean;
}

type RequestedRole = "view" | "edit" | "none";

export async function people(who: string | undefined, flags: PeopleFlags): Promise<void> {
  const role = parseRole(flags);
  if (role !== undefined) return await setRights(who, role, flags);
  const rows = await askBridge(flags, { verb: "people" });
  await warnUnsaved(flags);
  const wanted = who === undefined ? rows : rows.filter((row) => matchesName(row, who));
  if (who !== undefined && wanted.length === 0) {
    throw new UserError(
      `no one called ${who} is connected`,
      ExitCode.usage,
      "`pairpty people` lists everyone.",
    );
  }
  if (flags.json === true) return printJson(wanted);
  if (wanted.length === 0) return printNote("No one is connected.");
  const terminals = await askBridge(flags, { verb: "terminals" });
  const code = await getCodeHint(flags);
  return printLine(
    formatPeople(wanted, terminals, { now: Date.now(), width: getWindowWidth(), code }),
  );
}

export function formatPeople(
  rows: readonly VisitorRow[],
  terminals: readonly Terminal[],
  { now, width, code = "" }: { now: number; width?: number | undefined; code?: string },
): string {
  const numbered = (id: string | undefined) => {
    const terminal = terminals.find((one) => one.id === id);
    return terminal === undefined ? "" : `terminal ${terminal.number ?? terminal.id}`;
  };
  const list = formatTable(
    ["ID", "WHO", "ROLE", "SINCE", "STATE"],
    rows.map((row) => [
      row.id,
      displayName(row),
      row.limited === true ? "view (limited)" : (row.role ?? ""),
      `${formatDuration(now - row.since)} ago`,
      formatState(row, numbered),
    ]),
    width,
  );
  const hints = listHints(rows, code).map((hint) =>
    wrapText(hint, width ?? hint.length).join("\n"),
  );
  return [list, ...hints].join("\n\n");
}

/** Returns hints about the first waiting guest and the first limited person. */
function listHints(rows: readonly VisitorRow[], code: string): string[] {
  const waiting = rows.find(({ state }) => state === "waiting");
  const limited = rows.find((row) => row.state === "here" && row.limited === true);
  const all: string[] = [];
  if (waiting) {
    const admits = `\`${formatCommandHere(`admit ${waiting.id}${code}`)}\` lets in ${displayName(waiting)}`;
    all.push(`${admits}; \`${formatCommandHere(`turn-away ${waiting.id}`)}\` turns them away.`);
  }
  if (limited) {
    const lifts = formatCommandHere(`people ${limited.id} --edit${code}`);
    all.push(`\`${lifts}\` lets ${displayName(limited)} type again.`);
  }
  return all;
}

function formatState(
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
  const done = await askBridge(flags, { verb: "admit", who, ...(await readCode(flags)) });
  if (flags.json === true) return printJson(done);
  return printNote(`${done.admitted} ${done.mayCome === true ? "can join again." : "is in."}`);
}

export async function turnAway(who: string, flags: VerbFlags): Promise<void> {
  const done = await askBridge(flags, { verb: "turn-away", who });
  if (flags.json === true) return printJson(done);
  return printNote(`Turned ${done.turnedAway} away. ${formatBrowserOnly(done.knocks)}`);
}

async function setRights(
  who: string | undefined,
  role: RequestedRole,
  flags: PeopleFlags,
): Promise<void> {
  if (who === undefined) {
    throw new UserError(
      "name a person: a name, a label or an id",
      ExitCode.usage,
      "`pairpty people` lists everyone.",
    );
  }
  const code = await readCode(flags);
  const done = await askBridge(flags, { verb: "rights", who, role, ...code });
  if (flags.json === true) return printJson(done);
  return printNote(done.note ?? formatRights(role, done, who));
}

/**
 * Returns what other browsers get: they choose their own ids, so a decision holds for one browser
 * only.
 */
function formatBrowserOnly(knocks: true | undefined): string {
  if (knocks === true)
    return "This applies to that browser only: another browser waits with this link until you let it in.";
  return "This applies to that browser only: another browser gets the link's full access. To stop that, revoke the link: `pairpty grants` lists its id for `pairpty revoke <id>`.";
}

/** Returns the confirmation of a change; `typed` is the name that the user gave. */
export function formatRights(
  role: RequestedRole,
  { who, knocks }: Pick<ControlAnswers["rights"], "who" | "knocks">,
  typed: string,
): string {
  const undo = quoteWord(typed);
  switch (role) {
    case "view":
      return `${who} can watch but not type; \`pairpty people ${undo} --edit\` undoes that. ${formatBrowserOnly(knocks)}`;
    case "edit":
      return `${who} can type again.`;
    case "none":
      return `Removed ${who}; \`pairpty admit ${undo}\` lets them back. ${formatBrowserOnly(knocks)}`;
  }
}

function parseRole({ view, edit, remove }: PeopleFlags): RequestedRole | undefined {
  if (view === true) return "view";
  if (edit === true) return "edit";
  return remove === true ? "none" : undefined;
}

function matchesName({ id, name, label }: VisitorRow, who: string): boolean {
  const lower = who.toLowerCase();
  const names = [name, label, displayName({ name, label }), firstWord(name)];
  return id === who || names.some((one) => one?.toLowerCase() === lower);
}
