// Owns the input that a page sends to a program: keys and pastes from users who may type, focus and mouse
// reports from the driver.

import { signal } from "@preact/signals";
import type { Terminal } from "@xterm/xterm";
import { isPressed } from "../commands/command.ts";
import type { Session } from "../session/session.ts";
import { takesKeys } from "../session/terminal-list.ts";
import { COPY_SELECTION } from "./terminal-commands.ts";
import { splitInput } from "./terminal-clipboard.ts";
import { toAltKey, toControlKey, isReport } from "./key-encoding.ts";

const NOT_CONNECTED = "Not connected. Your typing isn’t sent.";

export type TerminalInputSession = Pick<Session, "store" | "send">;

export interface TerminalInputDeps {
  /** Whether a key is a shortcut of the page. */
  isCommand: (event: KeyboardEvent) => boolean;
  /** Whether this page may send focus and mouse reports now. */
  mayReport: () => boolean;
  /** Called before typed input is sent. */
  onTyped: () => void;
  /** Called after typed input was sent. */
  onSent: (data: string) => void;
}

/** Whether a modifier is held: for the next key, or until released. */
export type ModifierState = "no" | "once" | "locked";

export class TerminalInput {
  readonly #id: string;
  readonly #session: TerminalInputSession;
  readonly #term: Terminal;
  readonly #deps: TerminalInputDeps;
  #isPasting = false;
  /** Modifiers held by the key bar, since a phone's keyboard has neither. */
  readonly modifiers = { ctrl: signal<ModifierState>("no"), alt: signal<ModifierState>("no") };

  constructor(id: string, session: TerminalInputSession, term: Terminal, deps: TerminalInputDeps) {
    this.#id = id;
    this.#session = session;
    this.#term = term;
    this.#deps = deps;
  }

  /** Starts listening; disposing the terminal removes the listeners. */
  listen(): void {
    const term = this.#term;
    term.attachCustomKeyEventHandler((event) => this.#onKeyEvent(event));
    term.attachCustomWheelEventHandler(() => this.#mayScroll());
    term.onData((data) => this.#onData(data));
    // Legacy mouse reports: those with high bytes are not valid text and are dropped.
    term.onBinary((data) => {
      if (/^\p{ASCII}*$/u.test(data)) this.#onData(data);
    });
  }

  /** Returns false to keep a key from the terminal. */
  #onKeyEvent(event: KeyboardEvent): boolean {
    if (this.#deps.isCommand(event)) return false;
    if (!isPressed(COPY_SELECTION.keys, event) || !this.#term.hasSelection()) return true;
    event.preventDefault();
    // xterm fills the copy event; the Clipboard API would need a secure context, which a LAN address is not.
    if (event.type === "keydown") document.execCommand("copy");
    return false;
  }

  /** Sends data as if typed; for the key bar and the phone's keyboard. */
  input(data: string): void {
    this.#term.input(data);
  }

  /** Sends the clipboard's text to a program whose read request the user allowed. */
  sendClipboard(data: string): void {
    if (this.inputBlockedReason() !== undefined) return;
    for (const piece of splitInput(data))
      this.#session.send({ type: "pty:input", id: this.#id, data: piece, reply: "clipboard" });
  }

  /** Releases modifiers that were held for one key. */
  releaseModifiers(): void {
    for (const one of Object.values(this.modifiers)) if (one.peek() === "once") one.value = "no";
  }

  /** Whether the wheel may scroll; where it goes to the program, it counts as input. */
  #mayScroll(): boolean {
    const { buffer, modes } = this.#term;
    const isPrograms = buffer.active.type === "alternate" || modes.mouseTrackingMode !== "none";
    if (!isPrograms) return true;
    // xterm may turn the wheel into arrow keys, which must not be held for the terminal being
    // opened.
    return this.#deps.mayReport() && !this.#session.store.inputHold.isHolding.peek();
  }

  #onData(data: string): void {
    if (isReport(data)) {
      if (this.inputBlockedReason() === undefined && this.#deps.mayReport()) this.#send(data);
      return;
    }
    const { ctrl, alt } = this.modifiers;
    const controlled = ctrl.peek() === "no" ? data : toControlKey(data);
    const whole = alt.peek() === "no" ? controlled : toAltKey(controlled);
    const { inputHold } = this.#session.store;
    const isHeld = !this.#isPasting && inputHold.take({ kind: "keys", data: whole });
    if (isHeld || this.sendTyped(whole)) this.releaseModifiers();
  }

  /** Pastes into this terminal, even while another one is being opened. */
  paste(text: string): void {
    this.#isPasting = true;
    this.#term.paste(text);
    this.#isPasting = false;
  }

  /** Sends typed input, or shows why it cannot be sent; returns whether it was sent. */
  sendTyped(data: string): boolean {
    const { store } = this.#session;
    const blockedReason = this.inputBlockedReason();
    if (blockedReason !== undefined) {
      if (blockedReason !== "") store.toast(blockedReason);
      return false;
    }
    // Typing ends following another person.
    store.people.following.value = undefined;
    this.#deps.onTyped();
    if (!this.#send(data)) {
      store.toast(NOT_CONNECTED);
      return false;
    }
    this.#deps.onSent(data);
    return true;
  }

  /** Returns why input is blocked now; empty if the page already shows the reason, undefined if it is not blocked. */
  inputBlockedReason(): string | undefined {
    const { store } = this.#session;
    const known = store.findTerminal(this.#id);
    if (!known || known.ended) return "";
    const readOnly = store.readOnlyReason("type");
    if (readOnly) return readOnly;
    if (known.terminal.feed) {
      return "This terminal shows the output of an agent’s commands. You can’t type here.";
    }
    if (!takesKeys(known, store.you.peek())) {
      return "An agent is working here. Step in (Alt+I) to type.";
    }
    if (!store.reachable.peek()) return NOT_CONNECTED;
    return undefined;
  }

  /** Sends data in pieces; returns false if the socket has just closed and the store does not know yet. */
  #send(data: string): boolean {
    for (const piece of splitInput(data))
      if (!this.#session.send({ type: "pty:input", id: this.#id, data: piece })) return false;
    return true;
  }
}
