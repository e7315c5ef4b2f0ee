// Owns text that is pasted (control characters are removed, it is cut to the room's limit, and the
// user confirms lines that would run immediately) and programs' clipboard requests (OSC 52): writes
// are shown as a toast, reads need a confirmation.

import type { Terminal } from "@xterm/xterm";
import type { Store } from "../session/store.ts";
import type { ClipboardRequest } from "./clipboard.ts";
import { encodeClipboardAnswer, copyText } from "./clipboard.ts";

type PasteTarget = Pick<Terminal, "paste" | "modes"> & {
  readonly buffer: { readonly active: Pick<Terminal["buffer"]["active"], "type"> };
};

const LINE_END = /(?:\r\n?|\n)$/;

/** Pastes text; returns false if the user has to confirm it first. */
export function pasteWithConfirmation(
  text: string,
  term: PasteTarget,
  store: Pick<Store, "dialog">,
): boolean {
  const clean = stripControls(text);
  const ended = clean.replace(LINE_END, "");
  const lines = ended.split(/\r\n?|\n/).length;
  const isOneLine = !/[\r\n]/.test(clean);
  if (isOneLine || term.modes.bracketedPasteMode) {
    // With marked pastes a shell does not run the line end; it would only leave the cursor on an empty line.
    const isAtPrompt = term.buffer.active.type === "normal";
    term.paste(lines === 1 && isAtPrompt ? ended : clean);
    return true;
  }
  store.dialog.value = {
    kind: "confirm",
    question: () => ({
      title: lines === 1 ? "Paste and run this line?" : `Paste ${lines} lines?`,
      text: "Each line will run immediately.",
      yes: "Paste",
      no: "Cancel",
      run: () => term.paste(clean),
    }),
  };
  return false;
}

/** Characters in one message: half of the dialect's limit, so that keystrokes can pass between. */
const PIECE_CHARS = 32 * 1024;

/** Bytes of a message's text as JSON: two thirds of the room's limit for a peer. */
const PIECE_BYTES = 64 * 1024;

/** Start and end of a bracketed paste; removed whole, since the rest would remain as text. */
const PASTE_MARKERS = /(?![\t\r\n])\p{Cc}\[?20[01]~/gu;

/**
 * Removes control characters except tabs and line ends: text copied from a web page may contain the sequence
 * that ends a bracketed paste, and the shell would run the rest.
 */
export function stripControls(text: string): string {
  return text
    .replace(PASTE_MARKERS, "")
    .replace(/\p{Cc}/gu, (one) => ("\t\r\n".includes(one) ? one : ""));
}

/** Cuts text between characters into pieces that fit one message each. */
export function* splitInput(text: string): Generator<string> {
  let start = 0;
  let bytes = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.codePointAt(at) ?? 0;
    const length = code > 0xffff ? 2 : 1;
    const cost = getMaxJsonBytes(code);
    if (at > start && (bytes + cost > PIECE_BYTES || at + length - start > PIECE_CHARS)) {
      yield text.slice(start, at);
      start = at;
      bytes = 0;
    }
    bytes += cost;
    at += length;
  }
  if (start < text.length) yield text.slice(start);
}

/** Returns an upper bound for the size of a character in JSON and UTF-8. */
function getMaxJsonBytes(code: number): number {
  if (code < 0x20 || code === 0x22 || code === 0x5c) return 6;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code >= 0xd800 && code <= 0xdfff ? 6 : 4;
}

/** Minimum interval between two confirmations, so that a refused program cannot ask again and again. */
const MIN_CONFIRM_INTERVAL_MS = 30_000;

export interface ClipboardRequestDeps {
  readonly store: Pick<Store, "toast" | "dialog">;
  /** Returns the terminal's display name. */
  name: () => string;
  /** Sends the terminal's answer to the program. */
  reply: (data: string) => void;
  now: () => number;
  copy?: typeof copyText;
  read?: () => Promise<string>;
}

export class ClipboardRequests {
  readonly #deps: ClipboardRequestDeps;
  #askedAt = -MIN_CONFIRM_INTERVAL_MS;

  constructor(deps: ClipboardRequestDeps) {
    this.#deps = deps;
  }

  async handle(request: ClipboardRequest): Promise<void> {
    const { store, copy = copyText } = this.#deps;
    switch (request.wants) {
      case "write": {
        const count = Array.from(request.text).length;
        const what = count === 1 ? "1 character" : `${count} characters`;
        const isDone = await copy(request.text);
        return store.toast(
          isDone
            ? `A program copied ${what} to your clipboard.`
            : `A program tried to copy ${what}, but this browser blocked it.`,
        );
      }
      case "read":
        return this.#confirmRead(request.which);
      default:
        return request.why === "too long"
          ? store.toast("A program tried to copy too much text. Nothing was copied.")
          : undefined;
    }
  }

  #confirmRead(which: string): void {
    const { store, name, now } = this.#deps;
    if (store.dialog.peek() || now() - this.#askedAt < MIN_CONFIRM_INTERVAL_MS) return;
    this.#askedAt = now();
    store.dialog.value = {
      kind: "confirm",
      question: () => ({
        title: "Let a program read your clipboard?",
        text: `A program in ${name()} wants to read your clipboard. If you allow it, it reads the clipboard once and may show it to everyone here.`,
        yes: "Allow once",
        no: "Don’t allow",
        run: () => void this.#sendClipboard(which),
      }),
    };
  }

  async #sendClipboard(which: string): Promise<void> {
    const { store, reply, read = () => navigator.clipboard.readText() } = this.#deps;
    try {
      reply(encodeClipboardAnswer(which, await read()));
    } catch {
      store.toast("This browser blocked access to the clipboard.");
    }
  }
}
