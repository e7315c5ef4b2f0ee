// Owns handling programs' clipboard requests (OSC 52): writes are allowed and shown as a toast; reads need the
// user's confirmation.

import type { Store } from "../session/store.ts";
import type { ClipboardRequest } from "./clipboard.ts";
import { encodeClipboardAnswer, copyText } from "./clipboard.ts";

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
