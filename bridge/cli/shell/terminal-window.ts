// Shows a shared terminal in this window: raw mode, keys, size, notices, and restoring the window
// however it ends.

import { constants } from "node:os";
import { StringDecoder } from "node:string_decoder";
import type { Socket } from "node:net";
import { MAX_INPUT_CHARS } from "../../../protocol/limits.ts";
import type { Exit } from "../../../protocol/terminal.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { loadEmulator } from "../../screens/load-emulator.ts";
import { stripQueries, createStripState } from "../../screens/query-filter.ts";
import type { DetachKey } from "./detach-key.ts";
import { inputBeforeKey } from "./detach-key.ts";
import { fitSnapshot, fitsWindow } from "./fit-snapshot.ts";
import type { StepInState } from "./window-text.ts";
import {
  clearScreen,
  scrollUp,
  formatNotice,
  formatPinnedNotice,
  restoreWindow,
  AlternateScreenTracker,
  clearNotice,
  formatSteppedIn,
  getKeyAction,
  formatStepInOffer,
} from "./window-text.ts";
import { TitleMark } from "./recording-title.ts";
import { LocalViewer } from "./local-viewer.ts";

/** How long the notice about the detach key stays, unless a key is pressed. */
const NOTICE_MS = 4_000;

/** After this pause in the output, the pinned line of a person who has stepped in is redrawn. */
const PIN_MS = 150;

const RECORDING_NOTICE = "● this terminal is being recorded";

/** 128 + the signal's number, as shells report it. */
const SIGNAL_BASE = 128;

export interface WindowOptions {
  readonly id: string;
  readonly detach: DetachKey;
  /** View only. */
  readonly watch: boolean;
  /** Set for an agent's terminal; "step in" steps in immediately. */
  readonly agents?: "look first" | "step in";
  /** Whether this window opened the terminal and sets its size; a window that joins sets it by typing. */
  readonly isOpenedHere?: boolean;
  readonly isRecorded?: boolean;
}

export type WindowEnd =
  /** `handedBack`: the person had stepped in to an agent's terminal. */
  | { readonly is: "detached"; readonly handedBack: boolean }
  | { readonly is: "exited"; readonly code: number; readonly signal: string | undefined }
  /** The pty host died, and the terminal with it. */
  | { readonly is: "gone" }
  /** `why` is known if the bridge closed the connection. */
  | { readonly is: "lost"; readonly why: string | undefined };

/** Resolves when the person detaches, the terminal ends or the bridge is gone. */
export async function showTerminal(socket: Socket, options: WindowOptions): Promise<WindowEnd> {
  const { id, detach, watch, agents, isOpenedHere, isRecorded } = options;
  const { stdin, stdout } = process;
  const screen = new AlternateScreenTracker();
  const title = new TitleMark();
  const typed = new StringDecoder("utf8");
  const isAgents = agents !== undefined && !watch;
  let stepInState: StepInState = "looking";
  const size = () => ({ cols: stdout.columns || 80, rows: stdout.rows || 24 });
  /** Whether a notice is wanted, and whether it is on the screen: a redraw removes it. */
  let notices = { wanted: false, shown: false };
  let noticeTimer: NodeJS.Timeout | undefined;
  let pinTimer: NodeJS.Timeout | undefined;
  /** The pinned last line while the person has stepped in. */
  let pin: string[] | undefined;

  const ended = await new Promise<WindowEnd | UserError>((resolve, reject) => {
    let hasBegun = false;
    let stripped = createStripState();
    const write = (text: string) => {
      screen.push(text);
      stdout.write(title.push(Buffer.from(text)));
    };
    const mark = (on: boolean) => stdout.write(title.setOn(on));
    /** Set while the emulator is loaded: only a window that is smaller than the terminal needs it. */
    let isLoading = false;
    let emulator: Awaited<ReturnType<typeof loadEmulator>> | undefined;
    const viewer = new LocalViewer(socket, id, {
      onSnapshot: (whole, terminalSize) => {
        const isFitting = fitsWindow(terminalSize, size());
        if (!isFitting && emulator === undefined) return attachFitted();
        const snapshot =
          isFitting || emulator === undefined
            ? whole
            : fitSnapshot(emulator, whole, terminalSize, size());
        isLoading = false;
        if (!hasBegun) mark(isRecorded === true);
        write(hasBegun ? clearScreen() : scrollUp(size().rows));
        write(snapshot);
        notices = { ...notices, shown: false };
        stripped = createStripState();
        const how = watch ? "watching" : "shared";
        const links = "`pairpty` shows the links";
        if (!hasBegun && isAgents) showNotice(...formatStepInOffer(detach.name));
        else if (!hasBegun && isRecorded === true)
          showNotice(RECORDING_NOTICE, `${detach.name} detaches`);
        else if (!hasBegun) showNotice(`${detach.name} detaches`, `${how} ${id}`, links);
        if (!hasBegun && agents === "step in") stepIn();
        hasBegun = true;
        return drawPin();
      },
      onOutput: (bytes, written) => {
        // The next snapshot has it.
        if (isLoading) return written();
        // The bridge answers programs' queries; the window would answer them again.
        const chunk = stripQueries(Buffer.from(bytes), stripped);
        screen.push(chunk.toString("latin1"));
        stdout.write(title.push(chunk), () => written());
        clearTimeout(pinTimer);
        if (pin !== undefined) pinTimer = setTimeout(drawPin, PIN_MS);
        return undefined;
      },
      onResized: () => {},
      steppedIn: (reading) => {
        const isNew = pin === undefined;
        stepInState = "in";
        pin = formatSteppedIn(reading, detach.name);
        // The program gets the rows above the pinned line.
        if (isNew) {
          clearTimeout(noticeTimer);
          notices = { wanted: false, shown: true };
          view();
          viewer.send({ type: "pty:drive", id });
        }
        drawPin();
      },
      onRecording: (on, by) => {
        const who = by === undefined ? [] : [by];
        mark(on);
        if (hasBegun) showNotice(on ? RECORDING_NOTICE : "recording stopped", ...who);
      },
      onExited: (exit) => finish(toWindowEnd(exit)),
      onFailed: (error) => {
        if (!hasBegun) return finish(new UserError(error, ExitCode.usage));
        if (stepInState !== "asked") return undefined;
        stepInState = "looking";
        return showNotice(error, `${detach.name} detaches`);
      },
      onClosed: (why) => resolve({ is: "lost", why }),
    });
    /** Loads the emulator, and attaches again. */
    const attachFitted = () => {
      isLoading = true;
      loadEmulator().then((loaded) => {
        emulator = loaded;
        return viewer.attach();
      }, reject);
    };
    const drawPin = () => {
      const { cols, rows } = size();
      if (pin === undefined) return;
      stdout.write(formatPinnedNotice(pin, cols, rows));
      notices = { ...notices, shown: true };
    };
    const showNotice = (...words: string[]) => {
      const { cols, rows } = size();
      clearTimeout(noticeTimer);
      stdout.write(formatNotice(words, cols, rows));
      notices = { wanted: true, shown: true };
      noticeTimer = setTimeout(hideNotice, NOTICE_MS);
    };
    const hideNotice = () => {
      clearTimeout(noticeTimer);
      if (!notices.wanted) return;
      notices = { ...notices, wanted: false };
      // Redraws what was under the notice.
      viewer.attach();
    };
    const view = () => {
      const { cols, rows } = size();
      const free = pin === undefined ? rows : Math.max(1, rows - 1);
      viewer.send({ type: "pty:view", id, cols, rows: free, visible: true });
      drawPin();
    };
    const stepIn = () => {
      stepInState = "asked";
      viewer.send({ type: "pty:step-in", id });
    };
    /** Whether the keys are for the program. */
    const mayType = (keys: Buffer) => {
      if (!isAgents || keys.length === 0) return true;
      const does = getKeyAction(stepInState, keys);
      if (does === "step in") stepIn();
      if (does === "offer") showNotice(...formatStepInOffer(detach.name));
      return does === "type";
    };
    let isNotified = false;
    const notifyWatcher = () => {
      if (isNotified) return;
      isNotified = true;
      showNotice(`view only: ${detach.name} detaches`, `\`pairpty attach ${id}\` lets you type`);
    };
    const onKeys = (chunk: Buffer) => {
      const before = inputBeforeKey(chunk, detach);
      if (watch && before === undefined) return notifyWatcher();
      const keys = before ?? chunk;
      if (watch || mayType(keys)) {
        hideNotice();
        if (!watch) sendInput(viewer, id, typed.write(keys));
      }
      if (before !== undefined) detached();
    };
    const finish = (ending: WindowEnd | UserError) => {
      if (stepInState !== "looking") viewer.send({ type: "pty:hand-back", id, hide: true });
      viewer.close();
      resolve(ending);
    };
    const detached = () => finish({ is: "detached", handedBack: stepInState === "in" });
    stdin.setRawMode(true);
    stdin.on("data", onKeys);
    stdout.on("resize", view);
    for (const signal of ["SIGTERM", "SIGHUP"] as const) {
      process.once(signal, detached);
    }
    viewer.attach();
    view();
    if (isOpenedHere === true) viewer.send({ type: "pty:drive", id });
  });

  clearTimeout(noticeTimer);
  clearTimeout(pinTimer);
  stdin.setRawMode(false);
  stdin.pause();
  stdin.removeAllListeners("data");
  stdout.removeAllListeners("resize");
  if (notices.shown) stdout.write(clearNotice(size().rows));
  stdout.write(restoreWindow(screen.isAlternate));
  stdout.write(title.restore());
  if (ended instanceof UserError) throw ended;
  return ended;
}

/** Sends the text; splits a long paste between characters. */
function sendInput(viewer: LocalViewer, id: string, text: string): void {
  const characters = text.length <= MAX_INPUT_CHARS ? [text] : splitText(text);
  for (const data of characters) if (data !== "") viewer.send({ type: "pty:input", id, data });
}

function splitText(text: string): string[] {
  const maxChars = MAX_INPUT_CHARS >> 2;
  const parts: string[] = [];
  let piece = "";
  for (const character of text) {
    piece += character;
    if (piece.length < maxChars) continue;
    parts.push(piece);
    piece = "";
  }
  return [...parts, piece];
}

function toWindowEnd({ exitCode, signal }: Exit): WindowEnd {
  if (exitCode !== null) return { is: "exited", code: exitCode, signal: undefined };
  if (signal === null) return { is: "gone" };
  const number = Object.entries(constants.signals).find(([name]) => name === signal)?.[1];
  const code = number === undefined ? ExitCode.fault : SIGNAL_BASE + number;
  return { is: "exited", code, signal };
}
