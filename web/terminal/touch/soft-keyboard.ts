// Owns input from a phone's keyboard in place of xterm: observes changes of xterm's text field,
// which keyboard-field.ts interprets. xterm still handles real key events.

import type { Terminal } from "@xterm/xterm";
import type { FieldEvent } from "./keyboard-field.ts";
import { EMPTY_FIELD, applyFieldEvent } from "./keyboard-field.ts";

export interface SoftKeyboardDeps {
  /** Sends data as if typed. */
  input: (data: string) => void;
  /** Whether the key bar holds Ctrl or Alt, which changes the next letter. */
  isHeld: () => boolean;
}

/** Browsers' keyCode for input without a real key. */
const UNNAMED_KEY = 229;

/** Attributes that disable autocorrection and capitalisation. */
const PLAIN_TEXT_ATTRIBUTES = { autocomplete: "off", autocorrect: "off", autocapitalize: "off" };

export class SoftKeyboard {
  readonly #host: HTMLElement;
  readonly #term: Terminal;
  readonly #deps: SoftKeyboardDeps;
  readonly #listeners = new AbortController();
  /** Android composes every word; other systems only for input methods such as pinyin. */
  readonly #isLive = /Android/.test(navigator.userAgent);
  #field = EMPTY_FIELD;
  #isSending = false;

  constructor(host: HTMLElement, term: Terminal, deps: SoftKeyboardDeps) {
    this.#host = host;
    this.#term = term;
    this.#deps = deps;
    for (const [name, value] of Object.entries(PLAIN_TEXT_ATTRIBUTES))
      term.textarea?.setAttribute(name, value);
    this.#listen("keydown", (event) => this.#onKey(event));
    this.#listen("keyup", () => this.#handleEvent({ kind: "key", key: undefined }));
    this.#listen("beforeinput", (event) => this.#onBefore(event));
    this.#listen("compositionstart", (event) => {
      this.#handleEvent({ kind: "before", text: this.#text });
      this.#handleEvent({ kind: "compose" });
      event.stopPropagation();
    });
    this.#listen("compositionupdate", (event) => event.stopPropagation());
    this.#listen("input", (event) => {
      event.stopPropagation();
      if (!(event instanceof InputEvent)) return;
      const { inputType: how, data } = event;
      this.#handleEvent({ kind: "input", how, data, text: this.#text });
      this.#showComposition(this.#field.isComposing ? (data ?? "") : "");
    });
    this.#listen("compositionend", (event) => {
      event.stopPropagation();
      this.#handleEvent({ kind: "composed", text: this.#text });
      this.#showComposition("");
    });
    // After arrows, Esc or Tab the field's text no longer matches the text before the cursor.
    term.onData((data) => {
      if (!this.#isSending && /^\p{Cc}/u.test(data)) this.#clearField();
    });
  }

  dispose(): void {
    this.#listeners.abort();
  }

  #listen<Name extends keyof HTMLElementEventMap>(
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
    this.#handleEvent({ kind: "key", key: isUnnamed ? undefined : event.key });
  }

  #onBefore({ inputType }: InputEvent): void {
    const text = this.#text;
    if (text === "" && inputType === "deleteContentBackward") this.#handleEvent({ kind: "delete" });
    else this.#handleEvent({ kind: "before", text });
  }

  #handleEvent(event: FieldEvent): void {
    const { field, send } = applyFieldEvent(this.#field, event, this.#isLive);
    this.#field = field;
    if (send === "") return;
    const isHeld = this.#deps.isHeld();
    this.#isSending = true;
    // With Ctrl or Alt held, the sent character differs from the field's text.
    this.#deps.input(send);
    this.#isSending = false;
    if (isHeld) this.#clearField();
  }

  #clearField(): void {
    this.#field = { ...EMPTY_FIELD, key: this.#field.key };
    if (this.#term.textarea) this.#term.textarea.value = "";
  }

  /** Shows composed text that was not sent yet at the cursor, in xterm's own element. */
  #showComposition(composed: string): void {
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
