// Formats what a person reads when the bridge is ready. Pure.

import { stripVTControlCharacters } from "node:util";
import type { ReadyTold } from "../../doors/control/requests.ts";
import { readerWords } from "../../tunnels/programs.ts";
import { VERSION } from "../../version.ts";
import { CLIENTS, getConfiguration } from "../../../protocol/connect.ts";
import { colors, stdoutColors } from "../output/output.ts";
import { asTyped, typedHere } from "../output/command-name.ts";
import { wrap } from "../output/wrap.ts";

/** The window that shows it. */
export interface Window {
  readonly columns: number;
  readonly rows: number;
  /** Whether it may lack other characters. */
  readonly ascii: boolean;
}

export interface BannerFacts {
  readonly ready: ReadyTold;
  /** Undefined if the bridge was already running. */
  readonly milliseconds: number | undefined;
  /** Whether the relay has not accepted the bridge yet, so that the links do not work yet. */
  readonly connecting?: boolean;
  /** Whether the relay is on this machine. */
  readonly local: boolean;
  readonly adopted: number;
  /** With a tunnel: its operator. */
  readonly operator?: string | undefined;
  /** Whether hotkeys work here. */
  readonly keys: boolean;
  readonly window: Window;
}

/** In narrower windows a link gets its own line, so that it can be copied whole. */
const NARROW = 60;
/** In narrower windows the agent's whole command would fill most of the screen. */
const ROOM_FOR_COMMAND = 80;
const WIDEST = 80;

export function headLines(facts: BannerFacts): string[] {
  const name = `${colors.bold(colors.green("PAIRPTY"))} ${colors.green(`v${VERSION}`)}`;
  return ["", `${indent(facts.window)}${name}  ${colors.dim(stateWords(facts))}`, ""];
}

function stateWords({ milliseconds, connecting, window }: BannerFacts): string {
  if (connecting === true) return window.ascii ? "connecting..." : "connecting…";
  return milliseconds === undefined ? "already running here" : `ready in ${milliseconds} ms`;
}

/** Returns the line below links that were shown before they worked. */
export function connectedLines(relay: string, milliseconds: number, window: Window): string[] {
  return wrapped(`Connected to ${relay} in ${milliseconds} ms. The links work now.`, window);
}

export function troubleLines(relay: string, reason: string, window: Window): string[] {
  return wrapped(`Cannot reach ${relay} yet: ${reason}. Retrying.`, window);
}

export function linkLines(name: string, link: string, window: Window): string[] {
  const mark = stdoutColors.green(arrow(window));
  const address = stdoutColors.cyan(link);
  if (window.columns < NARROW) return [`${mark}  ${stdoutColors.bold(name)}`, address];
  return [`${indent(window)}${mark}  ${stdoutColors.bold(name.padEnd(6))} ${address}`];
}

/** Returns the line below a link that says what it gives. */
export function noteLine(note: string, window: Window): string {
  return colors.dim(window.columns < NARROW ? note : `${indent(window)}          ${note}`);
}

export const LINK_NOTES = {
  Edit: "full access: a shell as you",
  View: "read-only: watch every terminal",
  Yours: "your own page: no guest can remove you. Do not share it.",
} as const;
export type LinkName = keyof typeof LINK_NOTES;

/** Returns who can open the links and how to invite someone. Comes first, and not dim. */
function reachLines(facts: BannerFacts): string[] {
  const { ready, local, keys, operator, window } = facts;
  if (local) {
    const how = `\`${typedHere("--tunnel")}\`, or use your own relay (\`--relay URL\`)`;
    return wrapped(
      `These links work only on this machine. To invite someone, stop and run ${how}.${knockWords(facts)}`,
      window,
    );
  }
  const invite = keys
    ? "To invite someone, press i."
    : `To invite someone: \`${typedHere("share")}\`.`;
  const said = `${invite}${knockWords(facts)}`;
  if (ready.tunnel === undefined) return wrapped(said, window);
  return wrapped(`${said} ${readerWords(operator)}`, window);
}

/** Returns the note for `--knock`: guests wait for admission. */
function knockWords({ ready: { knock }, keys }: BannerFacts): string {
  if (knock !== true) return "";
  const how = keys ? "press w" : `\`${typedHere("admit")}\``;
  return ` Guests wait until you let them in: ${how}.`;
}

export function footLines(facts: BannerFacts): string[] {
  const { ready, adopted, keys, milliseconds, window } = facts;
  const lines = ["", ...reachLines(facts), ""];
  if (ready.links.edit === undefined) lines.push(...wrapped(withheldWords(), window), "");
  if (adopted > 0) {
    lines.push(
      ...wrapped(
        `${adopted === 1 ? "1 terminal is" : `${adopted} terminals are`} back from the last run.`,
        window,
      ),
    );
  }
  lines.push(...wrapped(`Workspace ${ready.workspace}`, window).map(colors.dim));
  if (keys) lines.push(keysLine(window));
  else {
    const ends = milliseconds === undefined ? `\`${typedHere("stop")}\`` : "Ctrl-C";
    lines.push(...wrapped(`${ends} stops pairpty and its terminals`, window).map(colors.dim));
  }
  return [...lines, ""];
}

/** Returns the note where the Edit link is withheld, since an agent's program could request it too. */
export function withheldWords(): string {
  return `An agent has run commands here, so the Edit link needs a confirmation code: \`${typedHere("--code")}\`. To see the code, press k in the window where you started pairpty.`;
}

function keysLine(window: Window): string {
  const keys = ["i invite", "o open", "c copy", "m agent", "h help", "q quit"];
  return `${indent(window)}${keys.join(window.columns < NARROW ? "  " : " · ")}`;
}

/** Indents continuation lines of the help. */
const HANGING = "   ";

export function helpLines(window: Window): string[] {
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
    ["o", "open the edit link in a browser"],
    ["s", "share: make a link without a name"],
    ["c", "copy the link that i or s made last, or the edit link"],
    [
      "k",
      "show the code for `--code`: `pairpty approve` needs it, and others do once an agent has run commands",
    ],
    ["q", "quit, like Ctrl-C; asks first if terminals are running"],
  ];
  const width = window.columns - indent(window).length - HANGING.length;
  const lines = rows.flatMap(([key = "", does = ""]) =>
    wrap(asTyped(does), width).map((line, at) =>
      at === 0 ? `${colors.bold(key)}  ${line}` : `${HANGING}${line}`,
    ),
  );
  return [...lines.map((line) => indent(window) + line), ""];
}

/** Returns how many rows the lines take in the window. */
export function height(lines: readonly string[], { columns }: Window): number {
  const taken = lines.map((line) =>
    Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns)),
  );
  return taken.reduce((sum, lineCount) => sum + lineCount, 0);
}

/** Returns how to connect an agent; `offer` says how its commands are isolated. */
export function agentLines(ready: ReadyTold, offer: string, window: Window): string[] {
  return ["", ...commandLines(ready, window), ...offerLines(offer, window), ""];
}

function commandLines({ endpoints, tokens }: ReadyTold, window: Window): string[] {
  const title = `${colors.green(arrow(window))}  ${colors.bold("Agent ")}`;
  const clients = CLIENTS.filter((client) => client !== "claude-code");
  if (window.columns < NARROW) {
    const words = wrapped(`or ${clients.join(", ")}`, window);
    return [title, typedHere("connect claude-code"), ...words.map(colors.dim)];
  }
  const command =
    window.columns < ROOM_FOR_COMMAND || tokens.agent === undefined
      ? typedHere("connect claude-code")
      : getConfiguration("claude-code", { url: endpoints.mcp, token: tokens.agent });
  const [first, ...others] = clients;
  // A single command that a shell accepts: `a|b` would be a pipe.
  const words = `For others: \`${typedHere(`connect ${first}`)}\`, or with ${others.join(", ")}.`;
  return [`${indent(window)}${title} ${command}`, ...offerLines(words, window)];
}

function offerLines(text: string, window: Window): string[] {
  if (window.columns < NARROW) return wrapped(text, window).map(colors.dim);
  const margin = `${indent(window)}          `;
  const width = Math.min(window.columns, WIDEST) - margin.length;
  return wrap(text, width).map((line) => `${margin}${colors.dim(line)}`);
}

function wrapped(text: string, window: Window): string[] {
  const width = Math.min(window.columns, WIDEST) - indent(window).length;
  return wrap(text, width).map((line) => `${indent(window)}${line}`);
}

function arrow({ ascii }: Window): string {
  return ascii ? "->" : "➜";
}

function indent({ columns }: Window): string {
  return columns < NARROW ? "" : "  ";
}
