// Owns what a person reads when the bridge is ready. Text in, text out.

import { stripVTControlCharacters } from "node:util";
import type { ReadyTold } from "../../doors/control/requests.ts";
import { readerWords } from "../../tunnels/programs.ts";
import { VERSION } from "../../version.ts";
import { CLIENTS, getConfiguration } from "../../../protocol/connect.ts";
import { colors, stdoutColors } from "../output/output.ts";
import { asTyped, typedHere } from "../output/command-name.ts";
import { wrap } from "../output/wrap.ts";

/** Where it is shown. */
export interface Window {
  readonly columns: number;
  readonly rows: number;
  /** It may not know other characters. */
  readonly ascii: boolean;
}

export interface BannerFacts {
  readonly ready: ReadyTold;
  /** Undefined where a bridge ran already. */
  readonly milliseconds: number | undefined;
  /** The relay has not accepted it yet, so the links do not work yet. */
  readonly connecting?: boolean;
  /** The relay is ours, on this machine. */
  readonly local: boolean;
  readonly adopted: number;
  /** With a tunnel: whoever runs its other end. */
  readonly operator?: string | undefined;
  /** Single keys do something here. */
  readonly keys: boolean;
  readonly window: Window;
}

/** Below this a link gets a line of its own, so that it can be copied whole. */
const NARROW = 60;
/** Below this the agent's whole command would be most of the screen. */
const ROOM_FOR_COMMAND = 80;
const WIDEST = 80;

export function headLines(facts: BannerFacts): string[] {
  const name = `${colors.bold(colors.green("PAIRPTY"))} ${colors.green(`v${VERSION}`)}`;
  return ["", `${indent(facts.window)}${name}  ${colors.dim(stateWords(facts))}`, ""];
}

function stateWords({ milliseconds, connecting, window }: BannerFacts): string {
  if (connecting === true) return window.ascii ? "connecting..." : "connecting…";
  return milliseconds === undefined ? "is running here" : `ready in ${milliseconds} ms`;
}

/** Below the links that were shown before they worked. */
export function connectedLines(relay: string, milliseconds: number, window: Window): string[] {
  return wrapped(`connected to ${relay} in ${milliseconds} ms: the links work`, window);
}

export function troubleLines(relay: string, reason: string, window: Window): string[] {
  return wrapped(`${relay} cannot be reached yet: ${reason}; trying again`, window);
}

export function linkLines(name: string, link: string, window: Window): string[] {
  const mark = stdoutColors.green(arrow(window));
  const address = stdoutColors.cyan(link);
  if (window.columns < NARROW) return [`${mark}  ${stdoutColors.bold(name)}`, address];
  return [`${indent(window)}${mark}  ${stdoutColors.bold(name.padEnd(6))} ${address}`];
}

/** Below a link: what whoever has it may do. */
export function noteLine(note: string, window: Window): string {
  return colors.dim(window.columns < NARROW ? note : `${indent(window)}          ${note}`);
}

export const LINK_NOTES = {
  Edit: "opens a shell as you",
  View: "shows every terminal",
  Yours: "your own page, which does not knock: keep it to yourself",
} as const;
export type LinkName = keyof typeof LINK_NOTES;

/** Who can open the links, and how somebody else gets one. Before all else, and not dim. */
function reachLines(facts: BannerFacts): string[] {
  const { ready, local, keys, operator, window } = facts;
  if (local) {
    const how = `\`${typedHere("--tunnel")}\`, or a relay of your own (\`--relay URL\`)`;
    return wrapped(
      `Only this machine can open these; to invite somebody: stop, and start ${how}.${knockWords(facts)}`,
      window,
    );
  }
  const invite = keys
    ? "To invite somebody: press i."
    : `To invite somebody: \`${typedHere("share")}\`.`;
  const said = `${invite}${knockWords(facts)}`;
  if (ready.tunnel === undefined) return wrapped(said, window);
  return wrapped(`${said} ${readerWords(operator)}`, window);
}

/** With `--knock`: what becomes of whoever opens a link. */
function knockWords({ ready: { knock }, keys }: BannerFacts): string {
  if (knock !== true) return "";
  const how = keys ? "press w" : `\`${typedHere("admit")}\``;
  return ` People who open a link wait until you let them in: ${how}.`;
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
    lines.push(...wrapped(`${ends} stops it and its terminals`, window).map(colors.dim));
  }
  return [...lines, ""];
}

/** A process of the user can ask for the links, and so can an agent's program. */
export function withheldWords(): string {
  return `An agent has used this pairpty, so the Edit link needs the code: \`${typedHere("--code")}\`. The key k in the window where you started pairpty shows it.`;
}

function keysLine(window: Window): string {
  const keys = ["i invite", "o open", "c copy", "m agent", "h help", "q quit"];
  return `${indent(window)}${keys.join(window.columns < NARROW ? "  " : " · ")}`;
}

/** Below the words of a key. */
const HANGING = "   ";

export function helpLines(window: Window): string[] {
  const rows = [
    ["h", "this help"],
    [
      "i",
      "invite somebody by name: makes a link and copies it, with a QR code if phones can open it",
    ],
    ["l", "show the links again"],
    ["m", "connect an agent (MCP)"],
    ["t", "list the terminals; a number then steps in to an agent's"],
    ["w", "let in somebody at the door, or turn them away"],
    ["o", "open the edit link in a browser"],
    ["s", "share: make a link without a name"],
    ["c", "copy the link that i or s made last, or the edit link"],
    [
      "k",
      "show the code, for `pairpty approve --code`, and for `share` and others once an agent has called",
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

/** How many lines a window has for it. */
export function height(lines: readonly string[], { columns }: Window): number {
  const taken = lines.map((line) =>
    Math.max(1, Math.ceil(stripVTControlCharacters(line).length / columns)),
  );
  return taken.reduce((sum, lineCount) => sum + lineCount, 0);
}

/** How an agent is connected; `offer` says what its commands run in. */
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
  // One that a shell takes as it is: `a|b` would be a pipe.
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
