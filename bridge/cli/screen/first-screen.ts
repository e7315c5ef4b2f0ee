// Owns the first screen: the links, a QR code, and the hotkeys.

import type { ReadyLine, ReadyAnswer } from "../../doors/control/control-requests.ts";
import type { DialProblem } from "../../link/dial-problem.ts";
import { parseRelayAddress } from "../../link/relay-address.ts";
import type { RunningBridge } from "../answers/control-answers.ts";
import type { StartOptions } from "../flags/start-options.ts";
import { formatCommandHere } from "../output/command-name.ts";
import { probeSandboxHere, formatScreenNote } from "../output/link-notes.ts";
import {
  colors,
  printJson,
  printLine,
  printNote,
  printWrapped,
  getWindowEnvironment,
  canReadKeys,
} from "../output/output.ts";
import type { KeyPrompt } from "../start/run-bridge.ts";
import { openApprovalPrompt, eraseLetter } from "./approval-prompt.ts";
import type { BannerFacts, LinkName } from "./banner.ts";
import {
  formatAgentHelp,
  formatConnected,
  formatFoot,
  formatHead,
  countRows,
  formatHelp,
  LINK_NOTES,
  formatLink,
  formatNote,
  formatTrouble,
  formatWithheldNote,
  listStepInKeys,
  formatTerminals,
} from "./banner.ts";
import type { HotkeyActions } from "./hotkeys.ts";
import { Hotkeys } from "./hotkeys.ts";
import { createAdmissionActions, stepInHere } from "./key-actions.ts";
import { isForeground, Keyboard } from "./keyboard.ts";
import {
  getWindow,
  copyLink,
  openPage,
  shareLink,
  QR_CAPTION_LINES,
  renderQrCode,
} from "./share-link.ts";

interface ScreenFacts extends Pick<BannerFacts, "milliseconds" | "adopted" | "connecting"> {
  /** True if the bridge is another process, whose hotkeys are in its own window. */
  readonly elsewhere?: boolean;
}

/** Whether a person reads the output, not a program. */
export function isInteractive({ json, quiet }: StartOptions): boolean {
  return !json && !quiet && process.stdout.isTTY;
}

/** Prints the links. */
export async function showScreen(
  ready: ReadyAnswer | ReadyLine,
  options: StartOptions,
  facts: ScreenFacts,
): Promise<void> {
  if (!options.json) return await printScreen(ready, options, facts);
  // Printed by the process that started the bridge and by later callers.
  const { isolation: _, ...line } =
    "isolation" in ready ? ready : { ...ready, isolation: undefined };
  printJson(line);
}

export function printConnected(relay: string, milliseconds: number): void {
  printNote(formatConnected(relay, milliseconds, getWindow()).join("\n"));
}

/** Prints a dial problem; a permanent one becomes the error of the start instead. */
export function printTrouble(relay: string, { reason, isPermanent }: DialProblem): void {
  if (!isPermanent)
    printNote(formatTrouble(relay, reason, getWindow()).map(colors.yellow).join("\n"));
}

/** Prints the links again after the tunnel got a new address. */
export async function showNewLinks(running: RunningBridge, options: StartOptions): Promise<void> {
  if (options.quiet || options.json) return;
  printNote(colors.yellow("\n  The tunnel has a new address: the old links no longer work."));
  await printScreen(running.ready, options, { adopted: 0, milliseconds: undefined });
}

/** Does what --copy and --open request, without waiting. */
export function copyOrOpenLink(ready: ReadyAnswer, options: StartOptions): void {
  const { edit } = ready.links;
  if (!options.copy && !options.open) return;
  if (edit === undefined) return printWrapped(formatWithheldNote());
  if (options.copy) void copyLink(edit, "edit link");
  if (options.open) void openPage(getOwnLink(ready) ?? edit);
}

/** Returns the link for this machine's own browser: needs no tunnel and no admission. */
function getOwnLink({ links, local, own }: ReadyAnswer): string | undefined {
  return own ?? local?.links.edit ?? links.edit;
}

/** Opens the hotkeys; undefined in pipes, in CI, and with --json or --quiet. */
export function openHotkeys(
  running: RunningBridge,
  options: StartOptions,
  { adopted }: Pick<ScreenFacts, "adopted">,
  interrupt: () => void,
): KeyPrompt | undefined {
  if (!hasKeys(options)) return undefined;
  const { run } = running;
  const approvalPrompt = openApprovalPrompt(run.room.approvals, getWindow);
  const actions: HotkeyActions = {
    showHelp: () => printNote(formatHelp(getWindow()).join("\n")),
    showLinks: async () => {
      const connecting = !run.hasConnected;
      await printScreen(running.ready, options, { adopted, milliseconds: undefined, connecting });
    },
    openPage: () => {
      if (!run.hasConnected)
        return printNote(colors.dim("  Not yet: still connecting to the relay."));
      const what = running.ready.own === undefined ? "the edit link" : "your own page";
      printNote(colors.dim(`  Opening ${what} in a browser.`));
      return void openPage(getOwnLink(running.ready) ?? "");
    },
    listTerminals: () => {
      const all = run.pool.list();
      printNote(formatTerminals(all, formatCommandHere).join("\n"));
      return listStepInKeys(all);
    },
    stepIn: async (number) => await keyboard.lendTo(() => stepInHere(number, options.cwd)),
    showCode: () => printNote(`  The code is ${colors.bold(run.elevationGate.code)}`),
    copyLink: (shared) =>
      void (shared === undefined
        ? copyLink(running.ready.links.edit, "edit link")
        : copyLink(shared.link, `new ${shared.role} link`)),
    showAgentHelp: async () => {
      const floor = options.isolation.floor;
      const offer = formatScreenNote(floor, await probeSandboxHere(options.cwd));
      printNote(formatAgentHelp(running.ready, offer, getWindow()).join("\n"));
    },
    askName: () =>
      process.stderr.write("\n  Who is it for? Type a name and press Enter (Esc cancels): "),
    echo: (letter) => process.stderr.write(letter),
    erase: eraseLetter,
    endLine: () => process.stderr.write("\n"),
    askRole: (name) =>
      printWrapped(
        `\n  ${name === undefined ? "Share" : `For ${name}`}: v = view only, e = can type (full shell access), any other key cancels`,
      ),
    shareLink: async (role, name) => await shareLink(role, name, running, options),
    showCancelled: () => printNote(colors.dim("  Cancelled.")),
    ...createAdmissionActions(run),
    quit: interrupt,
    printBlankLine: () => printNote(""),
    signal: (signal) => keyboard.signalGroup(signal),
  };
  const hotkeys = new Hotkeys(actions, approvalPrompt.questions);
  const keyboard = new Keyboard(
    (input) => hotkeys.input(input),
    (isOpen) => approvalPrompt.setKeysHere(isOpen),
  );
  return {
    get isOpen() {
      return keyboard.isOpen;
    },
    ask: async () => {
      const yes = await hotkeys.ask();
      // After the text that follows a no.
      setImmediate(() => approvalPrompt.questions.release("busy"));
      return yes;
    },
    close: () => {
      keyboard.close();
      approvalPrompt.end();
    },
  };
}

async function printScreen(
  ready: ReadyAnswer,
  options: StartOptions,
  facts: ScreenFacts,
): Promise<void> {
  const window = getWindow();
  const { edit, view } = ready.links;
  const tty = process.stdout.isTTY;
  const links = listNamedLinks(ready).map(([name, link]) => ({
    lines: tty ? formatLink(name, link, window) : [`${name.toLowerCase()} ${link}`],
    notes: tty && !options.quiet ? [formatNote(LINK_NOTES[name], window)] : [],
  }));
  if (options.quiet && edit === undefined) printWrapped(formatWithheldNote());
  if (options.quiet) return links.forEach(({ lines }) => lines.forEach(printLine));
  const { loopback } = parseRelayAddress(ready.relay, true);
  const keys = facts.elsewhere !== true && hasKeys(options);
  const { operator } = ready;
  const banner = { ready, ...facts, local: loopback, keys, window, operator };
  const head = formatHead(banner);
  const foot = formatFoot(banner);
  const later = facts.connecting === true ? CONNECTED_ROWS : 0;
  const shown = links.flatMap(({ lines, notes: below }) => [...lines, ...below]);
  const usedRows = countRows([...head, ...shown, ...foot], window) + QR_CAPTION_LINES + later;
  const code = await renderQrCode(view, ready, options, {
    ...window,
    rows: window.rows - usedRows,
  });
  printNote(head.join("\n"));
  for (const { lines, notes: below } of links) {
    lines.forEach(printLine);
    below.forEach(printNote);
  }
  // The view link: cameras may see the screen, and an edit link is a shell.
  if (code !== undefined)
    printNote(["", colors.dim("  To watch on a phone, scan:"), ...code].join("\n"));
  return printNote(foot.join("\n"));
}

function listNamedLinks(ready: ReadyAnswer): [LinkName, string][] {
  const { links, own, knock, relay } = ready;
  // On loopback without knocking no guest can connect, so the own link is not listed; `o` opens it
  // anyway.
  const isShown = own !== undefined && (knock === true || !parseRelayAddress(relay, true).loopback);
  return [
    ...(links.edit === undefined ? [] : [["Edit", links.edit] satisfies [LinkName, string]]),
    ["View", links.view],
    ...(isShown ? [["Yours", own] satisfies [LinkName, string]] : []),
  ];
}
/** Rows for the relay's answer, printed later. */
const CONNECTED_ROWS = 3;

function hasKeys({ json, quiet }: StartOptions): boolean {
  return !json && !quiet && canReadKeys(getWindowEnvironment()) && isForeground();
}
