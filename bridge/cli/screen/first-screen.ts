// Owns the first screen: the links, a QR code, and the hotkeys.

import type { Ready, ReadyLine, ReadyTold } from "../../doors/control/requests.ts";
import { sandboxHere, screenWords } from "../agents/walls-words.ts";
import { parseRelayAddress } from "../../link/address.ts";
import type { DialProblem } from "../../link/dial-problem.ts";
import type { Running } from "../answers/answers.ts";
import { share } from "../answers/answers.ts";
import { askOnScreen, erase } from "./asking.ts";
import { doorActions } from "./door.ts";
import type { BannerFacts, LinkName, Window } from "./banner.ts";
import {
  agentLines,
  connectedLines,
  footLines,
  headLines,
  height,
  helpLines,
  LINK_NOTES,
  linkLines,
  noteLine,
  troubleLines,
  withheldWords,
} from "./banner.ts";
import type { Asker } from "../start/ending.ts";
import { isForeground } from "./foreground.ts";
import type { HotkeyActions } from "./hotkeys.ts";
import { Hotkeys } from "./hotkeys.ts";
import { Keyboard } from "./keyboard.ts";
import { stepInHere } from "./step-in.ts";
import { stepKeys, terminalLines } from "./terminals.ts";
import { onlyHereWords } from "../output/only-here.ts";
import { typedHere } from "../output/command-name.ts";
import type { StartOptions } from "../flags/options.ts";
import { colors, explainError, printJson, printLine, say, tell, warn } from "../output/output.ts";
import { hasColors, isDumb, surroundings, takesKeys } from "../output/surface.ts";

/** The lifetime of `pairpty share`'s links. */
const SHARED_MS = 30 * 86_400_000;
const UNKNOWN_WINDOW = { columns: 80, rows: 24 };

interface Facts extends Pick<BannerFacts, "milliseconds" | "adopted" | "connecting"> {
  /** True if the bridge is another process, whose hotkeys are in its own window. */
  readonly elsewhere?: boolean;
}

/** Whether a person reads the output, not a program. */
export function isLookedAt({ json, quiet }: StartOptions): boolean {
  return !json && !quiet && process.stdout.isTTY;
}

/** Prints the links. */
export async function showScreen(
  ready: ReadyTold | ReadyLine,
  options: StartOptions,
  facts: Facts,
): Promise<void> {
  if (!options.json) return await printScreen(ready, options, facts);
  // The same line for the starter and for later callers.
  const { isolation: _, ...line } =
    "isolation" in ready ? ready : { ...ready, isolation: undefined };
  printJson(line);
}

export function sayConnected(relay: string, milliseconds: number): void {
  say(connectedLines(relay, milliseconds, windowNow()).join("\n"));
}

/** Prints a dial problem; a permanent one becomes the error of the start instead. */
export function sayTrouble(relay: string, { reason, hopeless }: DialProblem): void {
  if (!hopeless) say(troubleLines(relay, reason, windowNow()).map(colors.yellow).join("\n"));
}

/** Prints the links again after the tunnel got a new address. */
export async function showNewLinks(running: Running, options: StartOptions): Promise<void> {
  if (options.quiet || options.json) return;
  say(colors.yellow("\n  The tunnel has a new address: the old links no longer work."));
  await printScreen(running.ready, options, { adopted: 0, milliseconds: undefined });
}

/** Does what --copy and --open request, without waiting. */
export function useLink(ready: ReadyTold, options: StartOptions): void {
  const { edit } = ready.links;
  if (!options.copy && !options.open) return;
  if (edit === undefined) return tell(withheldWords());
  if (options.copy) void copyLink(edit, "edit link");
  if (options.open) void openPage(ownLink(ready) ?? edit);
}

/** Returns the link for this machine's own browser: needs no tunnel and no admission. */
function ownLink({ links, local, own }: ReadyTold): string | undefined {
  return own ?? local?.links.edit ?? links.edit;
}

/** Opens the hotkeys; undefined in pipes, in CI, and with --json or --quiet. */
export function takeKeys(
  running: Running,
  options: StartOptions,
  { adopted }: Pick<Facts, "adopted">,
  interrupt: () => void,
): Asker | undefined {
  if (!hasKeys(options)) return undefined;
  const { run } = running;
  const asking = askOnScreen(run.room.approvals, windowNow);
  const actions: HotkeyActions = {
    help: () => say(helpLines(windowNow()).join("\n")),
    links: async () => {
      const connecting = !run.hasLinked;
      await printScreen(running.ready, options, { adopted, milliseconds: undefined, connecting });
    },
    open: () => {
      if (!run.hasLinked) return say(colors.dim("  Not yet: still connecting to the relay."));
      const what = running.ready.own === undefined ? "the edit link" : "your own page";
      say(colors.dim(`  Opening ${what} in a browser.`));
      return void openPage(ownLink(running.ready) ?? "");
    },
    terminals: () => {
      const all = run.pool.list();
      say(terminalLines(all, typedHere).join("\n"));
      return stepKeys(all);
    },
    stepIn: async (number) => await keyboard.lend(() => stepInHere(number, options.cwd)),
    code: () => say(`  The code is ${colors.bold(run.widening.code)}`),
    copy: (shared) =>
      void (shared === undefined
        ? copyLink(running.ready.links.edit, "edit link")
        : copyLink(shared.link, `new ${shared.role} link`)),
    agent: async () => {
      const floor = options.isolation.floor;
      const offer = screenWords(floor, await sandboxHere(options.cwd));
      say(agentLines(running.ready, offer, windowNow()).join("\n"));
    },
    askName: () =>
      process.stderr.write("\n  Who is it for? Type a name and press Enter (Esc cancels): "),
    typed: (letter) => process.stderr.write(letter),
    erased: erase,
    lineEnds: () => process.stderr.write("\n"),
    askRole: (name) =>
      tell(
        `\n  ${name === undefined ? "Share" : `For ${name}`}: v = view only, e = can type (full shell access), any other key cancels`,
      ),
    share: async (role, name) => await shareLink(role, name, running, options),
    cancelled: () => say(colors.dim("  Cancelled.")),
    ...doorActions(run),
    quit: interrupt,
    blank: () => say(""),
    signal: (signal) => keyboard.signalGroup(signal),
  };
  const hotkeys = new Hotkeys(actions, asking.questions);
  const keyboard = new Keyboard(
    (input) => hotkeys.input(input),
    (isOpen) => asking.keysAre(isOpen),
  );
  return {
    get isOpen() {
      return keyboard.isOpen;
    },
    ask: async () => {
      const yes = await hotkeys.ask();
      // After the text that follows a no.
      setImmediate(() => asking.questions.release("busy"));
      return yes;
    },
    close: () => {
      keyboard.close();
      asking.end();
    },
  };
}

async function printScreen(ready: ReadyTold, options: StartOptions, facts: Facts): Promise<void> {
  const window = windowNow();
  const { edit, view } = ready.links;
  const tty = process.stdout.isTTY;
  const links = namedLinks(ready).map(([name, link]) => ({
    lines: tty ? linkLines(name, link, window) : [`${name.toLowerCase()} ${link}`],
    notes: tty && !options.quiet ? [noteLine(LINK_NOTES[name], window)] : [],
  }));
  if (options.quiet && edit === undefined) tell(withheldWords());
  if (options.quiet) return links.forEach(({ lines }) => lines.forEach(printLine));
  const { loopback } = parseRelayAddress(ready.relay, true);
  const keys = facts.elsewhere !== true && hasKeys(options);
  const { operator } = ready;
  const banner = { ready, ...facts, local: loopback, keys, window, operator };
  const head = headLines(banner);
  const foot = footLines(banner);
  const later = facts.connecting === true ? LATER_LINES : 0;
  const shown = links.flatMap(({ lines, notes: below }) => [...lines, ...below]);
  const taken = height([...head, ...shown, ...foot], window) + QR_CAPTION_LINES + later;
  const code = await qrCode(view, ready, options, { ...window, rows: window.rows - taken });
  say(head.join("\n"));
  for (const { lines, notes: below } of links) {
    lines.forEach(printLine);
    below.forEach(say);
  }
  // The view link: cameras may see the screen, and an edit link is a shell.
  if (code !== undefined) say(["", colors.dim("  To watch on a phone, scan:"), ...code].join("\n"));
  return say(foot.join("\n"));
}

function namedLinks(ready: ReadyTold): [LinkName, string][] {
  const { links, own, knock, relay } = ready;
  // If no one else can connect, a third link is useless; `o` opens it anyway.
  const isShown = own !== undefined && (knock === true || !parseRelayAddress(relay, true).loopback);
  return [
    ...(links.edit === undefined ? [] : [["Edit", links.edit] satisfies [LinkName, string]]),
    ["View", links.view],
    ...(isShown ? [["Yours", own] satisfies [LinkName, string]] : []),
  ];
}

const QR_CAPTION_LINES = 2;
/** Rows for the relay's answer, printed later. */
const LATER_LINES = 3;

async function shareLink(
  role: "view" | "edit",
  name: string | undefined,
  running: Running,
  options: StartOptions,
): Promise<string | undefined> {
  const window = windowNow();
  const label = name ?? `shared ${new Date().toTimeString().slice(0, 5)}`;
  try {
    const { grant, link = "" } = await share(
      { verb: "share", role, scopes: [], label, expiresInMs: SHARED_MS, quietly: false },
      running,
    );
    const whose = name === undefined ? "" : `${name}, `;
    const what = role === "edit" ? "An edit" : "A view";
    const copies = name === undefined ? "Press c to copy it; " : "";
    tell(
      `\n  ${what} link for ${whose}30 days. ${copies}\`pairpty revoke ${grant.id}\` revokes it.`,
    );
    for (const line of linkLines("Link", link, window)) printLine(line);
    const code = await qrCode(link, running.ready, options, { ...window, rows: window.rows - 5 });
    say(code === undefined ? "" : ["", ...code, ""].join("\n"));
    const onlyHere = onlyHereWords(link);
    if (onlyHere !== undefined) tell(`  ${onlyHere}`);
    return link;
  } catch (error) {
    explainError(error);
    return undefined;
  }
}

/** Returns the QR code if a phone could open the link and the code fits. */
async function qrCode(
  link: string,
  { relay }: Pick<Ready, "relay">,
  { qr }: StartOptions,
  window: Window,
): Promise<string[] | undefined> {
  if (!qr || !takesKeys(surroundings()) || parseRelayAddress(relay, true).loopback)
    return undefined;
  const { qrLines } = await import("./qr.ts");
  return qrLines(link, { ...window, colors: hasColors(process.env, process.stderr) });
}

async function copyLink(link: string, name: string): Promise<void> {
  const { copiedWords, copy } = await import("./clipboard.ts");
  const words = copiedWords(await copy(link));
  if (words === undefined) {
    return warn(`could not copy the ${name}: no clipboard is available here`);
  }
  return tell(`  ${name} ${words}`, colors.dim);
}

async function openPage(link: string): Promise<void> {
  const { default: open } = await import("open");
  await open(link).catch(() => warn("could not open a browser: open the edit link yourself"));
}

function hasKeys({ json, quiet }: StartOptions): boolean {
  return !json && !quiet && takesKeys(surroundings()) && isForeground();
}

function windowNow(): Window {
  const { columns, rows } = { ...UNKNOWN_WINDOW, ...sizeOf(process.stderr) };
  return { columns, rows, ascii: isDumb(process.env) };
}

/** Returns the size, leaving out what the window does not report. */
function sizeOf({ columns, rows }: NodeJS.WriteStream): Partial<typeof UNKNOWN_WINDOW> {
  return { ...(columns > 0 ? { columns } : {}), ...(rows > 0 ? { rows } : {}) };
}
