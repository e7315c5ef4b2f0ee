// Formats what a person reads when the bridge is ready. Formats the first screen's list of
// terminals: name, owner, and how to type into each. Pure.

import { stripVTControlCharacters } from "node:util";
import { CLIENTS, getConfiguration } from "../../../protocol/connect.ts";
import type { Terminal } from "../../../protocol/terminal.ts";
import { VERSION } from "../../build-info.ts";
import type { ReadyAnswer } from "../../doors/control/control-requests.ts";
import { formatReadableNote, formatSealedNote } from "../../sealed/encryption-notes.ts";
import { formatOperatorNotice } from "../../tunnels/tunnel-programs.ts";
import { replaceCommands, formatCommandHere } from "../output/command-name.ts";
import { wrapText, escapeUnsafe } from "../output/format-text.ts";
import { colors, stdoutColors } from "../output/output.ts";

/** The window that shows it. */
export interface BannerWindow {
  readonly columns: number;
  readonly rows: number;
  /** Whether the window may be unable to show characters beyond ASCII. */
  readonly ascii: boolean;
}

export interface BannerFacts {
  readonly ready: ReadyAnswer;
  /** Undefined if the bridge was already running. */
  readonly milliseconds: number | undefined;
  /** Whether the relay has not accepted the bridge yet, so that the links do not work yet. */
  readonly connecting?: boolean;
  /** Whether the relay is on this machine. */
  readonly local: boolean;
  readonly adopted: number;
  /** With a tunnel: who operates it. */
  readonly operator?: string | undefined;
  /** Whether hotkeys work here. */
  readonly keys: boolean;
  readonly window: BannerWindow;
}

/** In narrower windows a link gets its own line, so that it can be copied whole. */
const NARROW_COLUMNS = 60;
/** In narrower windows the agent's whole command would fill most of the screen. */
const FULL_COMMAND_COLUMNS = 80;
const MAX_COLUMNS = 80;

export function formatHead(facts: BannerFacts): string[] {
  const name = `${colors.bold(colors.green("PAIRPTY"))} ${colors.green(`v${VERSION}`)}`;
  return ["", `${getIndent(facts.window)}${name}  ${colors.dim(formatState(facts))}`, ""];
}

function formatState({ milliseconds, connecting, keys, window }: BannerFacts): string {
  if (connecting === true) return window.ascii ? "connecting..." : "connecting…";
  if (milliseconds !== undefined) return `ready in ${milliseconds} ms`;
  // Keys work only in the window of the bridge itself, which shows its links again.
  return keys ? "running" : "already running here";
}

/** Returns the line below links that were shown before they worked. */
export function formatConnected(
  relay: string,
  milliseconds: number,
  window: BannerWindow,
): string[] {
  return wrapIndented(`Connected to ${relay} in ${milliseconds} ms. The links work now.`, window);
}

export function formatTrouble(relay: string, reason: string, window: BannerWindow): string[] {
  return wrapIndented(`Cannot reach ${relay} yet: ${reason}. Retrying.`, window);
}

export function formatLink(name: string, link: string, window: BannerWindow): string[] {
  const mark = stdoutColors.green(getArrow(window));
  const address = stdoutColors.cyan(link);
  if (window.columns < NARROW_COLUMNS) return [`${mark}  ${stdoutColors.bold(name)}`, address];
  return [`${getIndent(window)}${mark}  ${stdoutColors.bold(name.padEnd(6))} ${address}`];
}

/** Returns the line below a link that says what it gives. */
export function formatNote(note: string, window: BannerWindow): string {
  return colors.dim(
    window.columns < NARROW_COLUMNS ? note : `${getIndent(window)}          ${note}`,
  );
}

export const LINK_NOTES = {
  Edit: "full access: a shell as you",
  View: "read-only: watch every terminal",
  Yours: "your own page: no guest can remove you. Do not share it.",
} as const;
export type LinkName = keyof typeof LINK_NOTES;

/** Returns who can open the links and how to invite someone. Comes first, and not dim. */
function formatReach(facts: BannerFacts): string[] {
  const { ready, local, keys, operator, window } = facts;
  if (local) {
    const how = `\`${formatCommandHere("--tunnel")}\`, or use your own relay (\`--relay URL\`)`;
    return wrapIndented(
      `These links work only on this machine. To invite someone, stop and run ${how}.${formatKnockNote(facts)}${ready.e2e === true ? ` ${formatSealedNote()}` : ""}`,
      window,
    );
  }
  const invite = keys
    ? "To invite someone, press i."
    : `To invite someone: \`${formatCommandHere("share")}\`.`;
  const notice = ready.tunnel === undefined ? undefined : formatOperatorNotice(operator);
  const encryption = ready.e2e === true ? formatSealedNote() : formatReadableNote(notice);
  return wrapIndented(`${invite}${formatKnockNote(facts)} ${encryption}`, window);
}

/** Returns the note for `--knock`: guests wait for admission. */
function formatKnockNote({ ready: { knock }, keys }: BannerFacts): string {
  if (knock !== true) return "";
  const how = keys ? "press w" : `\`${formatCommandHere("admit")}\``;
  return ` Guests wait until you let them in: ${how}.`;
}

export function formatFoot(facts: BannerFacts): string[] {
  const { ready, adopted, keys, milliseconds, window } = facts;
  const lines = ["", ...formatReach(facts), ""];
  if (ready.links.edit === undefined) lines.push(...wrapIndented(formatWithheldNote(), window), "");
  if (adopted > 0) {
    lines.push(
      ...wrapIndented(
        `${adopted === 1 ? "1 terminal is" : `${adopted} terminals are`} back from the last run.`,
        window,
      ),
    );
  }
  lines.push(...wrapIndented(`Workspace ${ready.workspace}`, window).map(colors.dim));
  if (keys) lines.push(formatKeys(window));
  else {
    const ends = milliseconds === undefined ? `\`${formatCommandHere("stop")}\`` : "Ctrl-C";
    lines.push(...wrapIndented(`${ends} stops pairpty and its terminals`, window).map(colors.dim));
  }
  return [...lines, ""];
}

/** Returns the note where the Edit link is withheld, since an agent's program could request it too. */
export function formatWithheldNote(): string {
  return `An agent has run commands here, so the Edit link needs a confirmation code: \`${formatCommandHere("--code")}\`. To see the code, press k in the window where you started pairpty.`;
}

function formatKeys(window: BannerWindow): string {
  const keys = ["i invite", "o open", "c copy", "m agent", "h help", "q quit"];
  return `${getIndent(window)}${keys.join(window.columns < NARROW_COLUMNS ? "  " : " · ")}`;
}

/** Indents continuation lines of the help. */
const HANGING_INDENT = "   ";

export function formatHelp(window: BannerWindow): string[] {
  const rows = [
    ["h", "this help"],
    [
      "i",
      "invite someone by name: makes a link and copies it, with a QR code if a phone can open it",
    ],
    ["l", "show the links again"],
    ["m", "connect an agent (MCP)"],
    ["t", "list the terminals; then a number steps in to an agent's"],
    ["w", "let in or turn away a waiting guest"],
    ["o", "open your own page in a browser"],
    ["s", "share: make a link without a name"],
    ["c", "copy the link that i or s made last, or the edit link"],
    [
      "k",
      "show the code for `--code`: `pairpty approve` needs it, and others do once an agent has run commands",
    ],
    ["q", "quit, like Ctrl-C; asks first if terminals are running"],
  ];
  const width = window.columns - getIndent(window).length - HANGING_INDENT.length;
  const lines = rows.flatMap(([key = "", does = ""]) =>
    wrapText(replaceCommands(does), width).map((line, at) =>
      at === 0 ? `${colors.bold(key)}  ${line}` : `${HANGING_INDENT}${line}`,
    ),
  );
  return [...lines.map((line) => getIndent(window) + line), ""];
}

/** Returns how many rows the lines take in the window. */
export function countRows(lines: readonly string[], { columns }: BannerWindow): number {
  const taken = lines.map((line) =>
    Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns)),
  );
  return taken.reduce((sum, lineCount) => sum + lineCount, 0);
}

/** Returns how to connect an agent; `offer` describes how its commands are isolated. */
export function formatAgentHelp(ready: ReadyAnswer, offer: string, window: BannerWindow): string[] {
  return ["", ...formatConnectCommand(ready, window), ...formatNoteLines(offer, window), ""];
}

function formatConnectCommand({ endpoints, tokens }: ReadyAnswer, window: BannerWindow): string[] {
  const title = `${colors.green(getArrow(window))}  ${colors.bold("Agent ")}`;
  const clients = CLIENTS.filter((client) => client !== "claude-code");
  if (window.columns < NARROW_COLUMNS) {
    const words = wrapIndented(`or ${clients.join(", ")}`, window);
    return [title, formatCommandHere("connect claude-code"), ...words.map(colors.dim)];
  }
  const command =
    window.columns < FULL_COMMAND_COLUMNS || tokens.agent === undefined
      ? formatCommandHere("connect claude-code")
      : getConfiguration("claude-code", { url: endpoints.mcp, token: tokens.agent });
  const [first, ...others] = clients;
  // A single command that a shell accepts: `a|b` would be a pipe.
  const words = `For others: \`${formatCommandHere(`connect ${first}`)}\`, or with ${others.join(", ")}.`;
  return [`${getIndent(window)}${title} ${command}`, ...formatNoteLines(words, window)];
}

function formatNoteLines(text: string, window: BannerWindow): string[] {
  if (window.columns < NARROW_COLUMNS) return wrapIndented(text, window).map(colors.dim);
  const margin = `${getIndent(window)}          `;
  const width = Math.min(window.columns, MAX_COLUMNS) - margin.length;
  return wrapText(text, width).map((line) => `${margin}${colors.dim(line)}`);
}

function wrapIndented(text: string, window: BannerWindow): string[] {
  const width = Math.min(window.columns, MAX_COLUMNS) - getIndent(window).length;
  return wrapText(text, width).map((line) => `${getIndent(window)}${line}`);
}

function getArrow({ ascii }: BannerWindow): string {
  return ascii ? "->" : "➜";
}

function getIndent({ columns }: BannerWindow): string {
  return columns < NARROW_COLUMNS ? "" : "  ";
}

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
