// Owns a program's requests about the clipboard (OSC 52). The page writes for the person who is
// typing, and says so; before it lets a program read, it asks, and the default is no.

import type { Store } from "../session/store.ts";
import type { ClipboardWish } from "./clipboard.ts";
import { clipboardAnswer, copyText } from "./clipboard.ts";

/** A program that is told no must not be able to nag. */
const ASK_AGAIN_MS = 30_000;

export interface WishPort {
  readonly store: Pick<Store, "toast" | "dialog">;
  /** Whose terminal it is, for people. */
  name: () => string;
  /** Sends what a terminal answers. */
  reply: (data: string) => void;
  now: () => number;
  copy?: typeof copyText;
  read?: () => Promise<string>;
}

export class Wishes {
  readonly #port: WishPort;
  #askedAt = -ASK_AGAIN_MS;

  constructor(port: WishPort) {
    this.#port = port;
  }

  async grant(wish: ClipboardWish): Promise<void> {
    const { store, copy = copyText } = this.#port;
    switch (wish.wants) {
      case "write": {
        const count = Array.from(wish.text).length;
        const what = count === 1 ? "1 character" : `${count} characters`;
        const isDone = await copy(wish.text);
        return store.toast(
          isDone
            ? `A program copied ${what} to your clipboard.`
            : `A program tried to copy ${what}, but this browser did not allow it.`,
        );
      }
      case "read":
        return this.#ask(wish.which);
      default:
        return wish.why === "too long"
          ? store.toast("A program tried to copy too much text; nothing was copied.")
          : undefined;
    }
  }

  #ask(which: string): void {
    const { store, name, now } = this.#port;
    if (store.dialog.peek() || now() - this.#askedAt < ASK_AGAIN_MS) return;
    this.#askedAt = now();
    store.dialog.value = {
      kind: "confirm",
      question: () => ({
        title: "Let a program read your clipboard?",
        text: `A program in ${name()} asks for what you copied last. If you say yes, it reads that once, and may show it to everybody here.`,
        yes: "Let it read",
        no: "No",
        run: () => void this.#answer(which),
      }),
    };
  }

  async #answer(which: string): Promise<void> {
    const { store, reply, read = () => navigator.clipboard.readText() } = this.#port;
    try {
      reply(clipboardAnswer(which, await read()));
    } catch {
      store.toast("This browser does not let the page read the clipboard.");
    }
  }
}
