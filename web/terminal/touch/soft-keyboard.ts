// Owns input from a phone's keyboard in place of xterm: observes changes of xterm's text field, which field.ts
// interprets. xterm still handles real key events.

import type { Terminal } from "@xterm/xterm";
import type { FieldEvent } from "./field.ts";
import { EMPTY, take } from "./field.ts";

export interface SoftKeyboardRules {
  /** Sends data as if typed. */
  input: (data: string) => void;
  /** Whether the key bar holds Ctrl or Alt, which changes the next letter. */
  isHeld: () => boolean;
}

/** Browsers' keyCode for input without a real key. */
const UNNAMED_KEY = 229;

/** Attributes that disable autocorrection and capitalisation. */
const PLAIN = { autocomplete: "off", autocorrect: "off", autocapitalize: "off" };

export class SoftKeyboard {
  readonly #host: HTMLElement;
  readonly #term: Terminal;
  readonly #rules: SoftKeyboardRules;
  readonly #listeners = new AbortController();
  /** Android composes every word; other systems only for input methods such as pinyin. */
  readonly #isLive = /Android/.test(navigator.userAgent);
  #field = EMPTY;
  #isSending = false;

  constructor(host: HTMLElement, term: Terminal, rules: SoftKeyboardRules) {
    this.#host = host;
    this.#term = term;
    this.#rules = rules;
    for (const [name, value] of Object.entries(PLAIN)) term.textarea?.setAttribute(name, value);
    this.#on("keydown", (event) => this.#onKey(event));
    this.#on("keyup", () => this.#take({ kind: "key", key: undefined }));
    this.#on("beforeinput", (event) => this.#onBefore(event));
    this.#on("compositionstart", (event) => {
      this.#take({ kind: "before", text: this.#text });
      this.#take({ kind: "compose" });
      event.stopPropagation();
    });
    this.#on("compositionupdate", (event) => event.stopPropagation());
    this.#on("input", (event) => {
      event.stopPropagation();
      if (!(event instanceof InputEvent)) return;
      const { inputType: how, data } = event;
      this.#take({ kind: "input", how, data, text: this.#text });
      this.#show(this.#field.isComposing ? (data ?? "") : "");
    });
    this.#on("compositionend", (event) => {
      event.stopPropagation();
      this.#take({ kind: "composed", text: this.#text });
      this.#show("");
    });
    // After arrows, Esc or Tab the field's text no longer matches the text before the cursor.
    term.onData((data) => {
      if (!this.#isSending && /^\p{Cc}/u.test(data)) this.#empty();
    });
  }

  dispose(): void {
    this.#listeners.abort();
  }

  #on<Name extends keyof HTMLElementEventMap>(
    name: Name,
    run: (event: HTMLElementEventMap[Name]) => void,
  ): void {
    this.#host.addEventListener(name, run, { signal: this.#listeners.signal, capture: true });
  }

  get #text(): string {
    return this.#term.textarea?.value ?? "";
  }

  #onKey(event: KeyboardEvent): void {
    const isUnnamed = event.keyCode === UNNAMED_KEY;
    if (isUnnamed) event.stopPropagation();
    this.#take({ kind: "key", key: isUnnamed ? undefined : event.key });
  }

  #onBefore({ inputType }: InputEvent): void {
    const text = this.#text;
    if (text === "" && inputType === "deleteContentBackward") this.#take({ kind: "delete" });
    else this.#take({ kind: "before", text });
  }

  #take(event: FieldEvent): void {
    const { field, send } = take(this.#field, event, this.#isLive);
    this.#field = field;
    if (send === "") return;
    const isHeld = this.#rules.isHeld();
    this.#isSending = true;
    // With Ctrl or Alt held, the sent character differs from the field's text.
    this.#rules.input(send);
    this.#isSending = false;
    if (isHeld) this.#empty();
  }

  #empty(): void {
    this.#field = { ...EMPTY, key: this.#field.key };
    if (this.#term.textarea) this.#term.textarea.value = "";
  }

  /** Shows composed text that was not sent yet at the cursor, in xterm's own element. */
  #show(composed: string): void {
    const view = this.#host.querySelector<HTMLElement>(".composition-view");
    const screen = this.#host.querySelector<HTMLElement>(".xterm-screen");
    if (!view || !screen) return;
    const isHeld = composed !== "" && !this.#field.sent.endsWith(composed);
    view.classList.toggle("active", isHeld);
    view.textContent = isHeld ? composed : "";
    const { cols, rows, buffer } = this.#term;
    view.style.left = `${(buffer.active.cursorX * screen.clientWidth) / cols}px`;
    view.style.top = `${(buffer.active.cursorY * screen.clientHeight) / rows}px`;
  }
}
