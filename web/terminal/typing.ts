// Owns what leaves a terminal for its program: keys, pastes and mouse reports, by those who may, and
// the emulator's own replies, by one viewer alone.

import type { Terminal } from "@xterm/xterm";
import type { Session } from "../session/session.ts";
import { find, takesInput } from "../session/tabs.ts";
import { shortcutOf } from "../ui/keys.ts";
import { pieces } from "./pieces.ts";
import { isAutomatic } from "./replies.ts";

export interface TypingRules {
  /** Whether this viewer is the one to answer a program's queries, now. */
  mayAnswer: () => boolean;
  /** Before what a person typed is sent. */
  onTyped: () => void;
}

export class Typing {
  readonly #id: string;
  readonly #session: Session;
  readonly #term: Terminal;
  readonly #rules: TypingRules;
  /** What the key pressed just now sends. */
  #key: string | undefined;

  constructor(id: string, session: Session, term: Terminal, rules: TypingRules) {
    this.#id = id;
    this.#session = session;
    this.#term = term;
    this.#rules = rules;
  }

  /** Until the terminal is disposed, which ends its listeners. */
  listen(): void {
    const term = this.#term;
    term.attachCustomKeyEventHandler((event) => this.#onKeyEvent(event));
    term.onKey(({ key }) => {
      this.#key = key;
    });
    term.onData((data) => this.#onData(data));
    // Old mouse reports; their high bytes cannot travel as text, and no modern program wants them.
    term.onBinary((data) => {
      if (/^\p{ASCII}*$/u.test(data)) this.#onData(data);
    });
  }

  /** False keeps a key from the terminal. */
  #onKeyEvent(event: KeyboardEvent): boolean {
    if (shortcutOf(event)) return false;
    const copies = event.ctrlKey && event.shiftKey && event.code === "KeyC";
    if (!copies || !this.#term.hasSelection()) return true;
    event.preventDefault();
    // xterm fills the copy event; the newer API needs a secure context that a LAN address is not.
    if (event.type === "keydown") document.execCommand("copy");
    return false;
  }

  #onData(data: string): void {
    const automatic = isAutomatic(data, this.#key);
    this.#key = undefined;
    const hindrance = this.#hindrance();
    if (automatic) {
      if (hindrance === undefined && this.#rules.mayAnswer()) this.#send(data);
      return;
    }
    if (hindrance !== undefined) {
      if (hindrance !== "") this.#session.store.toast(hindrance);
      return;
    }
    this.#rules.onTyped();
    this.#send(data);
  }

  /** Why nothing can be typed here now, in a sentence; empty where the page shows it anyway. */
  #hindrance(): string | undefined {
    const { store } = this.#session;
    const tab = find(store.tabs.peek() ?? [], this.#id);
    if (!tab || tab.ended) return "";
    if (!store.mayEdit.peek()) return "Read-only: this link can watch, not type.";
    if (!takesInput(tab)) return "An agent works here: you can watch, not type.";
    if (!store.reachable.peek()) return "Not connected: what you type now is not sent.";
    return undefined;
  }

  #send(data: string): void {
    for (const piece of pieces(data))
      this.#session.send({ type: "pty:input", id: this.#id, data: piece });
  }
}
