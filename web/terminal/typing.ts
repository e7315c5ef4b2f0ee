// Owns what leaves a terminal for its program: keys and pastes, by those who may; focus and mouse
// reports, by the driver.

import { signal } from "@preact/signals";
import type { Terminal } from "@xterm/xterm";
import { isPressed } from "../commands/keys.ts";
import type { Session } from "../session/session.ts";
import { takesKeys } from "../session/terminals.ts";
import { COPY } from "./commands.ts";
import { pieces } from "./pieces.ts";
import { altOf, controlOf, isReport } from "./keystrokes.ts";

const NOT_CONNECTED = "Not connected: your typing is not sent.";

/** What typing needs of the session. */
export type TypingSession = Pick<Session, "store" | "send">;

export interface TypingRules {
  /** Whether a key is one of the page's, not the terminal's. */
  isCommand: (event: KeyboardEvent) => boolean;
  /** Whether focus and mouse of this page are the program's business, now. */
  mayReport: () => boolean;
  /** Before what a person typed is sent. */
  onTyped: () => void;
  /** Behind it. */
  onSent: (data: string) => void;
}

/** For the next key, or until it is let go. */
export type Holding = "no" | "once" | "locked";

export class Typing {
  readonly #id: string;
  readonly #session: TypingSession;
  readonly #term: Terminal;
  readonly #rules: TypingRules;
  #isPasting = false;
  /** Keys are pressed with these: a phone's keyboard has neither. */
  readonly held = { ctrl: signal<Holding>("no"), alt: signal<Holding>("no") };

  constructor(id: string, session: TypingSession, term: Terminal, rules: TypingRules) {
    this.#id = id;
    this.#session = session;
    this.#term = term;
    this.#rules = rules;
  }

  /** Until the terminal is disposed, which ends its listeners. */
  listen(): void {
    const term = this.#term;
    term.attachCustomKeyEventHandler((event) => this.#onKeyEvent(event));
    term.attachCustomWheelEventHandler(() => this.#mayScroll());
    term.onData((data) => this.#onData(data));
    // Old mouse reports; their high bytes cannot travel as text, and no modern program wants them.
    term.onBinary((data) => {
      if (/^\p{ASCII}*$/u.test(data)) this.#onData(data);
    });
  }

  /** False keeps a key from the terminal. */
  #onKeyEvent(event: KeyboardEvent): boolean {
    if (this.#rules.isCommand(event)) return false;
    if (!isPressed(COPY.keys, event) || !this.#term.hasSelection()) return true;
    event.preventDefault();
    // xterm fills the copy event; the newer API needs a secure context that a LAN address is not.
    if (event.type === "keydown") document.execCommand("copy");
    return false;
  }

  /** As if typed; for keys that a phone's keyboard does not have. */
  input(data: string): void {
    this.#term.input(data);
  }

  /** What was on the clipboard, for a program that asked and a person who said yes. */
  reply(data: string): void {
    if (this.hindrance() !== undefined) return;
    for (const piece of pieces(data))
      this.#session.send({ type: "pty:input", id: this.#id, data: piece, reply: "clipboard" });
  }

  /** What was held for one key. */
  release(): void {
    for (const one of Object.values(this.held)) if (one.peek() === "once") one.value = "no";
  }

  /** Where the wheel is a program's, not the scrollback's, it is as good as typing. */
  #mayScroll(): boolean {
    const { buffer, modes } = this.#term;
    const isPrograms = buffer.active.type === "alternate" || modes.mouseTrackingMode !== "none";
    if (!isPrograms) return true;
    // There xterm makes arrow keys of it, which are not for the terminal that is being opened.
    return this.#rules.mayReport() && !this.#session.store.inputHold.isHolding.peek();
  }

  #onData(data: string): void {
    if (isReport(data)) {
      if (this.hindrance() === undefined && this.#rules.mayReport()) this.#send(data);
      return;
    }
    const { ctrl, alt } = this.held;
    const controlled = ctrl.peek() === "no" ? data : controlOf(data);
    const whole = alt.peek() === "no" ? controlled : altOf(controlled);
    const { inputHold } = this.#session.store;
    const isHeld = !this.#isPasting && inputHold.take({ kind: "keys", data: whole });
    if (isHeld || this.type(whole)) this.release();
  }

  /** Pastes into this terminal, also while another one is being opened. */
  paste(text: string): void {
    this.#isPasting = true;
    this.#term.paste(text);
    this.#isPasting = false;
  }

  /** Sends what a person typed, or shows why it is not sent; returns whether it was. */
  type(data: string): boolean {
    const { store } = this.#session;
    const hindrance = this.hindrance();
    if (hindrance !== undefined) {
      if (hindrance !== "") store.toast(hindrance);
      return false;
    }
    // Whoever types is where they want to be.
    store.people.following.value = undefined;
    this.#rules.onTyped();
    if (!this.#send(data)) {
      store.toast(NOT_CONNECTED);
      return false;
    }
    // A line that arrives is what the person does about one that did not.
    if (data.includes("\r")) store.toasts.release("asleep");
    this.#rules.onSent(data);
    return true;
  }

  /** Why nothing can be typed here now, in a sentence; empty where the page shows it anyway. */
  hindrance(): string | undefined {
    const { store } = this.#session;
    const known = store.terminal(this.#id);
    if (!known || known.ended) return "";
    const readOnly = store.whyReadOnly("type");
    if (readOnly) return readOnly;
    if (known.terminal.feed) {
      return "You cannot type here: this shows what an agent's commands print.";
    }
    if (!takesKeys(known, store.you.peek())) {
      return "An agent is working here. Step in (Alt+I) to type.";
    }
    if (!store.reachable.peek()) return NOT_CONNECTED;
    return undefined;
  }

  /** False where the socket closed a moment ago, and the store does not know yet. */
  #send(data: string): boolean {
    for (const piece of pieces(data))
      if (!this.#session.send({ type: "pty:input", id: this.#id, data: piece })) return false;
    return true;
  }
}
