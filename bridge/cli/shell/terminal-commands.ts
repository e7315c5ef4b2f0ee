// Owns the commands about this folder's terminals: shell, attach, close, agents-type, pin, rename,
// stop.

import { join, resolve as absolute } from "node:path";
import { grantName } from "../../../protocol/names.ts";
import type { Terminal } from "../../../protocol/terminal.ts";
import { escapeInvisible } from "../../config/config-problems.ts";
import { requestBridge } from "../../doors/control/control-client.ts";
import { ControlServer } from "../../doors/control/control-server.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { connectLocal } from "../../local/local-socket.ts";
import { PROCESS_TAG_ENV } from "../../sweep.ts";
import { formatUnsaved } from "../../workspace/durable-file.ts";
import {
  findExistingFolders,
  locateFolders,
  ensureWorkspaceFolders,
} from "../../workspace/folders.ts";
import { getCurrentFolder } from "../flags/current-folder.ts";
import type { CodeFlag } from "../flags/parse-arguments.ts";
import { readCode } from "../flags/parse-arguments.ts";
import { findRunningFolder } from "../flags/workspace-folder.ts";
import { escapeUnsafe } from "../output/format-text.ts";
import { colors, printJson, printNote, printWrapped } from "../output/output.ts";
import { Keyboard } from "../screen/keyboard.ts";
import { listCountedTerminals } from "../start/stop-texts.ts";
import type { VerbFlags } from "../verbs/bridge-request.ts";
import { askBridge } from "../verbs/bridge-request.ts";
import { startInBackground } from "./background-start.ts";
import { parseDetachKey } from "./detach-key.ts";
import { pickTerminal } from "./pick-terminal.ts";
import { assertNotNested, assertTerminal, withoutUndefined, showInWindow } from "./show-window.ts";

/** Longer than terminals and relay need to end; after it the command reports in any case. */
const STOP_TIMEOUT_MS = 20_000;

export interface WindowFlags {
  readonly cwd?: string;
  readonly detachKey: string;
  readonly watch?: boolean;
  readonly stepIn?: boolean;
  readonly private?: boolean;
}

/** Opens a new shared terminal in this window. */
export async function shell(command: string[], flags: WindowFlags): Promise<void> {
  assertNotNested();
  const detach = parseDetachKey(flags.detachKey);
  assertTerminal("shell");
  const folders = ensureWorkspaceFolders(await findRunningFolder(flags));
  const socket = join(folders.runtime, "bridge.sock");
  if ((await requestBridge(socket, { verb: "terminals" })) === undefined) {
    const code = await startInBackground(folders);
    if (code !== undefined)
      printWrapped(`pairpty now runs in the background. Its code is ${code}.`, colors.dim);
  }
  const terminal = await askBridge(flags, {
    verb: "spawn",
    cwd: absolute(flags.cwd ?? getCurrentFolder()),
    ...(command.length === 0 ? {} : { command }),
    environment: withoutUndefined(process.env),
    ...(flags.private === true ? { private: true } : {}),
    cols: process.stdout.columns || 80,
    rows: process.stdout.rows || 24,
  });
  await showInWindow(terminal, flags, detach, { isOpenedHere: true });
}

export async function attach(id: string | undefined, flags: WindowFlags): Promise<void> {
  assertNotNested();
  const detach = parseDetachKey(flags.detachKey);
  assertTerminal("attach");
  const terminals = await askBridge(flags, { verb: "terminals" });
  const terminal = pickTerminal(terminals, id);
  // As shown in lists.
  const displayName = `${terminal.number ?? terminal.id}`;
  if (terminal.feed === true) {
    if (flags.stepIn !== true)
      return await showInWindow(terminal, { ...flags, watch: true }, detach);
    throw new UserError(
      `terminal ${displayName} only shows the output of an agent's commands and takes no input`,
      ExitCode.usage,
      `\`pairpty attach ${displayName}\` watches it.`,
    );
  }
  if (terminal.owner === "agent") {
    const agents = flags.stepIn === true ? "step in" : "look first";
    return await showInWindow(terminal, flags, detach, { agents });
  }
  if (flags.stepIn === true) {
    throw new UserError(
      `terminal ${displayName} is not an agent's, so there is nothing to step in to`,
      ExitCode.usage,
      `\`pairpty attach ${displayName}\` lets you type into it.`,
    );
  }
  return await showInWindow(terminal, flags, detach);
}

export async function close(id: string, flags: VerbFlags): Promise<void> {
  const terminals = await askBridge(flags, { verb: "terminals" });
  const terminal = pickTerminal(terminals, id);
  await askBridge(flags, { verb: "close", id: terminal.id });
  if (flags.json === true) return printJson({ closed: terminal.id });
  return printNote(`Closed ${terminal.id}.`);
}

/** Sets whether agents with the scope `type` may type into a terminal. */
export async function agentsType(
  id: string,
  state: "on" | "off",
  flags: VerbFlags & CodeFlag,
): Promise<void> {
  const terminals = await askBridge(flags, { verb: "terminals" });
  const on = state === "on";
  const request = { verb: "agents-type", id: pickTerminal(terminals, id).id, on } as const;
  const terminal = await askBridge(flags, { ...request, ...(await readCode(flags)) });
  if (flags.json === true) return printJson(terminal);
  const who = (terminal.agentsType ?? []).map(grantName).join(", ");
  return printNote(
    on ? `Agents that can type into it: ${who}` : "Agents can no longer type into it.",
  );
}

/** Pins the terminal's size, by default the current one; --off unpins it. */
export async function pin(
  id: string,
  size: Partial<Pick<Terminal, "cols" | "rows">> | undefined,
  flags: VerbFlags & { readonly off?: boolean },
): Promise<void> {
  if (flags.off === true && size !== undefined) {
    throw new UserError(
      "--off and a size exclude each other",
      ExitCode.usage,
      "Leave one of them out.",
    );
  }
  const terminals = await askBridge(flags, { verb: "terminals" });
  const on = flags.off !== true;
  const terminal = await askBridge(flags, {
    verb: "pin",
    id: pickTerminal(terminals, id).id,
    on,
    ...size,
  });
  if (flags.json === true) return printJson(terminal);
  const now = `${terminal.cols}×${terminal.rows}`;
  return printNote(
    on ? `Pinned at ${now}.` : `Unpinned. The size follows the person typing; now ${now}.`,
  );
}

/** Renames a terminal for everyone; "" restores its default name. */
export async function rename(id: string, name: string, flags: VerbFlags): Promise<void> {
  const terminals = await askBridge(flags, { verb: "terminals" });
  const request = { verb: "rename", id: pickTerminal(terminals, id).id, name } as const;
  const terminal = await askBridge(flags, request);
  if (flags.json === true) return printJson(terminal);
  return printNote(name === "" ? "Default name restored." : `Renamed to "${terminal.name}".`);
}

interface StopFlags extends VerbFlags {
  readonly yes?: boolean;
}

/** Stops the bridge of this folder or of the nearest one above it, wherever it was started. */
export async function stop(flagsGiven: StopFlags): Promise<void> {
  if (process.env[PROCESS_TAG_ENV] !== undefined) {
    throw new UserError(
      "this would close the current terminal",
      ExitCode.usage,
      "Stop pairpty from a terminal that is not shared.",
    );
  }
  // Found once, so that all requests go to the same bridge.
  const flags = { ...flagsGiven, cwd: await findRunningFolder(flagsGiven) };
  const where = formatWhere(flags.cwd);
  const all = await askBridge(flags, { verb: "terminals" }).catch(async (error: unknown) => {
    const isNone = error instanceof UserError && error.exitCode === ExitCode.noBridge;
    if (isNone && (await stopLeftovers(flags))) return undefined;
    throw error;
  });
  if (all === undefined) return undefined;
  const running = listCountedTerminals(all);
  if (running.length > 0 && flags.yes !== true && !(await confirmStop(running.length, where))) {
    return printNote("Cancelled.");
  }
  const ended = waitForBridgeEnd(flags.cwd);
  const { unsaved = [], ended: what } = await askBridge(flags, { verb: "stop" });
  await ended;
  if (unsaved.length > 0) {
    throw new UserError(
      `stopped, but this was not saved: ${unsaved.map(formatUnsaved).join("; ")}`,
      ExitCode.unavailable,
      "Your last access changes may be undone at the next start. Free some space there, start pairpty, and check `pairpty grants`, `pairpty people` and `pairpty rules`.",
    );
  }
  if (flags.json === true) return printJson({ stopped: true });
  return printNote(
    what === undefined ? `Stopped${where}.` : `Stopped${where}. ${escapeUnsafe(what)}`,
  );
}

/** Returns " in FOLDER" if it is not the current folder. */
function formatWhere(folder: string): string {
  const found = locateFolders(folder).folder;
  return found === locateFolders(getCurrentFolder()).folder ? "" : ` in ${escapeInvisible(found)}`;
}

/** Ends what a crashed or hung-up bridge left; returns false if nothing is left. */
async function stopLeftovers(flags: StopFlags & { readonly cwd: string }): Promise<boolean> {
  const folders = findExistingFolders("runtime", flags.cwd);
  if (folders === undefined) return false;
  const { listWaitingTerminals } = await import("../../terminals/start-host.ts");
  const { endLeftovers, isAnythingLeft } = await import("../../run/leftovers.ts");
  const { createLeftoverIsolation } = await import("./leftover-isolation.ts");
  const isolationService = createLeftoverIsolation(folders);
  const waiting = (await listWaitingTerminals(folders)).length;
  if (waiting === 0 && !(await isAnythingLeft(folders, isolationService))) return false;
  if (waiting > 0 && flags.yes !== true && !(await confirmStop(waiting, formatWhere(flags.cwd)))) {
    printNote("Cancelled.");
    return true;
  }
  const lock = await ControlServer.bind(join(folders.runtime, "bridge.sock"));
  // Another bridge started meanwhile and owns the terminals now.
  if (lock === undefined) return false;
  const terminals = await endLeftovers(folders, isolationService).finally(() => lock.close());
  if (flags.json === true) printJson({ stopped: true, terminals });
  else {
    const what =
      terminals === 0
        ? "its remaining processes"
        : `its ${terminals} waiting terminal${terminals === 1 ? "" : "s"}`;
    printNote(
      `Stopped${formatWhere(flags.cwd)}. pairpty had crashed or its window was closed; ended ${what}.`,
    );
  }
  return true;
}

/** Resolves when the bridge closes the connection, which it does once everything has ended. */
async function waitForBridgeEnd(folder: string): Promise<void> {
  const folders = ensureWorkspaceFolders(folder);
  const socket = await connectLocal(join(folders.runtime, "bridge.sock")).catch(() => undefined);
  if (socket === undefined) return;
  socket.on("error", () => socket.destroy());
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => socket.destroy(), STOP_TIMEOUT_MS);
    socket.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
    // Reading is needed to see the end.
    socket.resume();
  });
}

/** Resolves whether the next key matches; needs no Enter, as on the first screen. */
async function readOneKey(wanted: RegExp): Promise<boolean> {
  const key = await new Promise<string>((resolve) => {
    const keyboard: Keyboard = new Keyboard(
      (input) => {
        keyboard.close();
        resolve(input);
      },
      () => {},
    );
    process.stdin.once("end", () => resolve(""));
  });
  return wanted.test(key);
}

async function confirmStop(running: number, where: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new UserError(
      `${running} terminal${running === 1 ? " is still running" : "s are still running"}${where}`,
      ExitCode.usage,
      `Add --yes to close ${running === 1 ? "it" : "them"}.`,
    );
  }
  const what =
    running === 1 ? "1 terminal is still running" : `${running} terminals are still running`;
  process.stderr.write(`${what}${where}. Stop everything? [y/N] `);
  const yes = await readOneKey(/^y/i);
  printNote(yes ? "y" : "n");
  return yes;
}
