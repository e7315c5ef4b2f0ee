// Shows a shared terminal in this window: raw mode, keys, size, notices, and restoring the window
// however it ends.

import { constants } from "node:os";
import { StringDecoder } from "node:string_decoder";
import type { Socket } from "node:net";
import { MAX_INPUT_CHARS } from "../../../protocol/limits.ts";
import type { Exit } from "../../../protocol/terminal.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { stripQueries, stripState } from "../../screens/queries.ts";
import type { DetachKey } from "./detach-key.ts";
import { beforeKey } from "./detach-key.ts";
import { clear, makeRoom, notice, pinned, restore, ScreenSwitch, unnotice } from "./notice.ts";
import type { Seat } from "./stepping.ts";
import { inWords, keysDo, offerWords } from "./stepping.ts";
import { TitleMark } from "./title-mark.ts";
import { Viewer } from "./viewer.ts";

/** How long the notice about the detach key stays, unless a key is pressed. */
const NOTICE_MS = 4_000;

/** After this pause in the output, the pinned line of a person who has stepped in is redrawn. */
const PIN_MS = 150;

const RECORDED = "● this terminal is being recorded";

/** 128 + the signal's number, as shells report it. */
const SIGNAL_BASE = 128;

export interface Sitting {
  readonly id: string;
  readonly detach: DetachKey;
  /** View only. */
  readonly watch: boolean;
  /** Set for an agent's terminal; "step in" does so immediately. */
  readonly agents?: "look first" | "step in";
  /** This window opened the terminal and sets its size; a joining window does so by typing. */
  readonly isOpenedHere?: boolean;
  readonly isRecorded?: boolean;
}

export type Ending =
  /** `handedBack`: the person had stepped in to an agent's terminal. */
  | { readonly is: "detached"; readonly handedBack: boolean }
  | { readonly is: "exited"; readonly code: number; readonly signal: string | undefined }
  /** The pty host died, and the terminal with it. */
  | { readonly is: "gone" }
  /** `why` is known if the bridge closed the connection. */
  | { readonly is: "lost"; readonly why: string | undefined };

/** Resolves when the person detaches, the terminal ends or the bridge is gone. */
export async function sit(socket: Socket, sitting: Sitting): Promise<Ending> {
  const { id, detach, watch, agents, isOpenedHere, isRecorded } = sitting;
  const { stdin, stdout } = process;
  const screen = new ScreenSwitch();
  const title = new TitleMark();
  const typed = new StringDecoder("utf8");
  const isAgents = agents !== undefined && !watch;
  let seat: Seat = "looking";
  const size = () => ({ cols: stdout.columns || 80, rows: stdout.rows || 24 });
  /** Whether a notice is wanted, and whether it is on the screen: a redraw removes it. */
  let notices = { wanted: false, shown: false };
  let noticeTimer: NodeJS.Timeout | undefined;
  let pinTimer: NodeJS.Timeout | undefined;
  /** The pinned last line while the person has stepped in. */
  let pin: string[] | undefined;

  const ended = await new Promise<Ending | UserError>((resolve) => {
    let hasBegun = false;
    let stripped = stripState();
    const write = (text: string) => {
      screen.push(text);
      stdout.write(title.push(Buffer.from(text)));
    };
    const mark = (on: boolean) => stdout.write(title.turn(on));
    const viewer = new Viewer(socket, id, {
      fresh: (snapshot) => {
        if (!hasBegun) mark(isRecorded === true);
        write(hasBegun ? clear() : makeRoom(size().rows));
        write(snapshot);
        notices = { ...notices, shown: false };
        stripped = stripState();
        const how = watch ? "watching" : "shared";
        const links = "`pairpty` shows the links";
        if (!hasBegun && isAgents) showNotice(...offerWords(detach.name));
        else if (!hasBegun && isRecorded === true) showNotice(RECORDED, `${detach.name} detaches`);
        else if (!hasBegun) showNotice(`${detach.name} detaches`, `${how} ${id}`, links);
        if (!hasBegun && agents === "step in") stepIn();
        hasBegun = true;
        drawPin();
      },
      output: (bytes, written) => {
        // The bridge answers programs' queries; the window would answer them again.
        const chunk = stripQueries(Buffer.from(bytes), stripped);
        screen.push(chunk.toString("latin1"));
        stdout.write(title.push(chunk), () => written());
        clearTimeout(pinTimer);
        if (pin !== undefined) pinTimer = setTimeout(drawPin, PIN_MS);
      },
      resized: () => {},
      reads: (reading) => {
        const isNew = pin === undefined;
        seat = "in";
        pin = inWords(reading, detach.name);
        // The program gets the rows above the pinned line.
        if (isNew) {
          clearTimeout(noticeTimer);
          notices = { wanted: false, shown: true };
          view();
          viewer.say({ type: "pty:drive", id });
        }
        drawPin();
      },
      recording: (on, by) => {
        const who = by === undefined ? [] : [by];
        mark(on);
        if (hasBegun) showNotice(on ? RECORDED : "recording stopped", ...who);
      },
      exited: (exit) => leave(endingOf(exit)),
      failed: (error) => {
        if (!hasBegun) return leave(new UserError(error, ExitCode.usage));
        if (seat !== "asked") return undefined;
        seat = "looking";
        return showNotice(error, `${detach.name} detaches`);
      },
      closed: (why) => resolve({ is: "lost", why }),
    });
    const drawPin = () => {
      const { cols, rows } = size();
      if (pin === undefined) return;
      stdout.write(pinned(pin, cols, rows));
      notices = { ...notices, shown: true };
    };
    const showNotice = (...words: string[]) => {
      const { cols, rows } = size();
      clearTimeout(noticeTimer);
      stdout.write(notice(words, cols, rows));
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
      viewer.say({ type: "pty:view", id, cols, rows: free, visible: true });
      drawPin();
    };
    const stepIn = () => {
      seat = "asked";
      viewer.say({ type: "pty:step-in", id });
    };
    /** Whether the keys are for the program. */
    const mayType = (keys: Buffer) => {
      if (!isAgents || keys.length === 0) return true;
      const does = keysDo(seat, keys);
      if (does === "step in") stepIn();
      if (does === "offer") showNotice(...offerWords(detach.name));
      return does === "type";
    };
    let isTold = false;
    const tellWatcher = () => {
      if (isTold) return;
      isTold = true;
      showNotice(`view only: ${detach.name} detaches`, `\`pairpty attach ${id}\` lets you type`);
    };
    const onKeys = (chunk: Buffer) => {
      const before = beforeKey(chunk, detach);
      if (watch && before === undefined) return tellWatcher();
      const keys = before ?? chunk;
      if (watch || mayType(keys)) {
        hideNotice();
        if (!watch) type(viewer, id, typed.write(keys));
      }
      if (before !== undefined) detached();
    };
    const leave = (ending: Ending | UserError) => {
      if (seat !== "looking") viewer.say({ type: "pty:hand-back", id, hide: true });
      viewer.close();
      resolve(ending);
    };
    const detached = () => leave({ is: "detached", handedBack: seat === "in" });
    stdin.setRawMode(true);
    stdin.on("data", onKeys);
    stdout.on("resize", view);
    for (const signal of ["SIGTERM", "SIGHUP"] as const) {
      process.once(signal, detached);
    }
    viewer.attach();
    view();
    if (isOpenedHere === true) viewer.say({ type: "pty:drive", id });
  });

  clearTimeout(noticeTimer);
  clearTimeout(pinTimer);
  stdin.setRawMode(false);
  stdin.pause();
  stdin.removeAllListeners("data");
  stdout.removeAllListeners("resize");
  if (notices.shown) stdout.write(unnotice(size().rows));
  stdout.write(restore(screen.isAlternate));
  stdout.write(title.end());
  if (ended instanceof UserError) throw ended;
  return ended;
}

/** Sends the text; splits a long paste between characters. */
function type(viewer: Viewer, id: string, text: string): void {
  const characters = text.length <= MAX_INPUT_CHARS ? [text] : pieces(text);
  for (const data of characters) if (data !== "") viewer.say({ type: "pty:input", id, data });
}

function pieces(text: string): string[] {
  const most = MAX_INPUT_CHARS >> 2;
  const found: string[] = [];
  let piece = "";
  for (const character of text) {
    piece += character;
    if (piece.length < most) continue;
    found.push(piece);
    piece = "";
  }
  return [...found, piece];
}

function endingOf({ exitCode, signal }: Exit): Ending {
  if (exitCode !== null) return { is: "exited", code: exitCode, signal: undefined };
  if (signal === null) return { is: "gone" };
  const number = Object.entries(constants.signals).find(([name]) => name === signal)?.[1];
  const code = number === undefined ? ExitCode.fault : SIGNAL_BASE + number;
  return { is: "exited", code, signal };
}
