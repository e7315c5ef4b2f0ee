// Owns what single keys do while the bridge runs: a state machine that neither prints nor reads a
// terminal; the caller performs its actions. Agents' approvals have their own machine, which gets
// its keys from here. Parses raw input as a key. Also owns a typed line while single keys are
// active: text, backspace, and its end. Pure; the caller echoes the steps.

import type { ApprovalQueue } from "./approval-queue.ts";

export interface SharedLink {
  readonly role: "view" | "edit";
  readonly link: string;
}

export interface HotkeyActions {
  showHelp(): void;
  showLinks(): Promise<void>;
  openPage(): void;
  showCode(): void;
  /** Lists the terminals; returns the keys that step in to an agent's. */
  listTerminals(): readonly string[];
  /** Resolves when the window is ours again. */
  stepIn(number: string): Promise<void>;
  /** Copies the given link; undefined means the edit link of the first screen. */
  copyLink(shared: SharedLink | undefined): void;
  /** Shows how to connect an agent. */
  showAgentHelp(): Promise<void>;
  /** Asks for a name; typed letters are echoed by `typed`. */
  askName(): void;
  echo(letter: string): void;
  erase(letter: string): void;
  /** Ends the line of typed text. */
  endLine(): void;
  /** Asks for the role; with a name, for that person. */
  askRole(name: string | undefined): void;
  /** Resolves to the link that was made and shown, with or without a name. */
  shareLink(role: SharedLink["role"], name: string | undefined): Promise<string | undefined>;
  showCancelled(): void;
  /** Asks about the first waiting guest and returns their id; undefined if none waits. */
  askAdmission(): string | undefined;
  answerAdmission(who: string, answer: "let in" | "turn away" | "wait"): void;
  quit(): void;
  printBlankLine(): void;
  signal(signal: "SIGINT" | "SIGQUIT" | "SIGTSTP"): void;
}

export type ApprovalKeys = Pick<ApprovalQueue, "isTyping" | "hold" | "release" | "press" | "type">;

type Mode =
  | { readonly is: "idle" }
  /** After `i`: a name is being typed. */
  | { readonly is: "naming"; readonly line: LineInput }
  /** The next key chooses the role. */
  | { readonly is: "sharing"; readonly name?: string }
  /** After `w`: the next key decides about the waiting guest. */
  | { readonly is: "door"; readonly who: string }
  /** After `t`: a listed number steps in; every other key works as usual. */
  | { readonly is: "listed"; readonly numbers: readonly string[] }
  | { readonly is: "asking"; readonly answer: (yes: boolean) => void };

/** The maximum length of a link's label. */
const MAX_NAME_LENGTH = 80;

const IDLE: Mode = { is: "idle" };

export class Hotkeys {
  readonly #actions: HotkeyActions;
  readonly #questions: ApprovalKeys;
  #mode: Mode = IDLE;
  /** The link that `c` copies; reset when the first links are shown again. */
  #shared: SharedLink | undefined;

  constructor(actions: HotkeyActions, questions: ApprovalKeys) {
    this.#actions = actions;
    this.#questions = questions;
  }

  /** Handles raw input from the terminal. */
  input(text: string): void {
    if (this.#mode.is === "naming") return this.#name(this.#mode.line, text);
    if (this.#questions.isTyping) return this.#questions.type(text);
    const key = parseKey(text);
    return key === undefined ? undefined : this.press(key);
  }

  /**
   * Asks a yes/no question: the next key answers, `y` or Ctrl-C is yes. Approvals stay on hold until
   * the caller releases them.
   */
  ask(): Promise<boolean> {
    this.#questions.hold("busy");
    return new Promise((answer) => {
      this.#mode = { is: "asking", answer };
    });
  }

  press(key: Key): void {
    const mode = this.#mode;
    if (key === "ctrl-z") return this.#actions.signal("SIGTSTP");
    if (key === "ctrl-\\") return this.#actions.signal("SIGQUIT");
    this.#mode = IDLE;
    if (mode.is === "asking") return mode.answer(key === "ctrl-c" || isLetter(key, "y"));
    if (key === "ctrl-c") return this.#actions.signal("SIGINT");
    if (mode.is === "sharing") return this.#share(key, mode.name);
    if (mode.is === "door") return this.#answerAdmission(mode.who, key);
    if (mode.is === "listed" && typeof key !== "string" && mode.numbers.includes(key.letter)) {
      return void this.#fillScreen(this.#actions.stepIn(key.letter));
    }
    return this.#idle(key);
  }

  #idle(key: Key): void {
    const actions = this.#actions;
    if (key === "enter") return actions.printBlankLine();
    if (typeof key === "string" || this.#questions.press(key.letter)) return undefined;
    switch (key.letter) {
      case "h":
      case "?":
        return actions.showHelp();
      case "l":
        this.#shared = undefined;
        return void this.#fillScreen(actions.showLinks());
      case "o":
        return actions.openPage();
      case "k":
        return actions.showCode();
      case "t": {
        const numbers = actions.listTerminals();
        if (numbers.length > 0) this.#mode = { is: "listed", numbers };
        return undefined;
      }
      case "w": {
        const who = actions.askAdmission();
        if (who === undefined) return undefined;
        this.#mode = { is: "door", who };
        return this.#questions.hold("busy");
      }
      case "c":
        return actions.copyLink(this.#shared);
      case "q":
        return actions.quit();
      case "s":
        this.#mode = { is: "sharing" };
        this.#questions.hold("busy");
        return actions.askRole(undefined);
      case "i":
        this.#mode = { is: "naming", line: new LineInput(MAX_NAME_LENGTH) };
        this.#questions.hold("busy");
        return actions.askName();
      case "m":
        return void this.#fillScreen(actions.showAgentHelp());
      default:
        return undefined;
    }
  }

  #name(line: LineInput, input: string): void {
    for (const step of line.feed(input)) {
      if (step.is === "typed") this.#actions.echo(step.letter);
      else if (step.is === "erased") this.#actions.erase(step.letter);
      else {
        this.#actions.endLine();
        return this.#onName(step.is === "done" ? step.text : "");
      }
    }
  }

  #onName(name: string): void {
    if (name !== "") {
      this.#mode = { is: "sharing", name };
      return this.#actions.askRole(name);
    }
    this.#mode = IDLE;
    this.#actions.showCancelled();
    return this.#questions.release("busy");
  }

  #share(key: Key, name: string | undefined): void {
    if (isLetter(key, "v") || key === "enter")
      return void this.#fillScreen(this.#makeLink("view", name));
    if (isLetter(key, "e")) return void this.#fillScreen(this.#makeLink("edit", name));
    this.#actions.showCancelled();
    return this.#questions.release("busy");
  }

  #answerAdmission(who: string, key: Key): void {
    const isYes = isLetter(key, "y");
    const isNo = isLetter(key, "n");
    this.#actions.answerAdmission(who, isYes ? "let in" : isNo ? "turn away" : "wait");
    return this.#questions.release("busy");
  }

  /** Runs an action that fills the screen; approvals are shown again below it. */
  async #fillScreen(action: Promise<void>): Promise<void> {
    this.#questions.hold("busy");
    await action;
    if (this.#mode.is === "idle") this.#questions.release("busy");
  }

  async #makeLink(role: SharedLink["role"], name: string | undefined): Promise<void> {
    const link = await this.#actions.shareLink(role, name);
    if (link === undefined) return;
    this.#shared = { role, link };
    // An invitation is meant to be sent, so it is copied at once.
    if (name !== undefined) this.#actions.copyLink(this.#shared);
  }
}

function isLetter(key: Key, letter: string): boolean {
  return typeof key !== "string" && key.letter === letter;
}

type Key = "ctrl-c" | "ctrl-z" | "ctrl-\\" | "enter" | "escape" | { readonly letter: string };

const CONTROLS: ReadonlyMap<string, Key> = new Map([
  ["\u001A", "ctrl-z"],
  ["\u001C", "ctrl-\\"],
  ["\r", "enter"],
  ["\n", "enter"],
  ["\u001B", "escape"],
]);

/**
 * Returns the key; undefined if the input is not a single key. Several characters at once are a
 * paste or an arrow key: a `q` among them must not quit. Ctrl-C counts anywhere; a letter directly
 * followed by Enter counts as the letter.
 */
export function parseKey(input: string): Key | undefined {
  if (input.includes("\u0003")) return "ctrl-c";
  const control = CONTROLS.get(input);
  if (control !== undefined) return control;
  const letter = /^([a-z1-9?])[\r\n]?$/i.exec(input)?.[1];
  return letter === undefined ? undefined : { letter: letter.toLowerCase() };
}

export type LineStep =
  | { readonly is: "typed" | "erased"; readonly letter: string }
  | { readonly is: "done"; readonly text: string }
  | { readonly is: "cancelled" };

class LineInput {
  readonly #maxLength: number;
  #text = "";

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** Handles raw input; ignores everything after the line's end. */
  feed(input: string): LineStep[] {
    // Ignores arrow keys and the like; Escape alone and Ctrl-C cancel.
    if (input === "\u001B" || input.includes("\u0003")) return [{ is: "cancelled" }];
    if (input.startsWith("\u001B")) return [];
    const steps: LineStep[] = [];
    for (const letter of input) {
      if (letter === "\r" || letter === "\n") {
        return [...steps, { is: "done", text: this.#text.trim() }];
      }
      const step = this.#edit(letter);
      if (step !== undefined) steps.push(step);
    }
    return steps;
  }

  #edit(letter: string): LineStep | undefined {
    if (letter === "\u007F" || letter === "\b") {
      const last = Array.from(this.#text).at(-1);
      if (last === undefined) return undefined;
      this.#text = this.#text.slice(0, -last.length);
      return { is: "erased", letter: last };
    }
    const isText = !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(letter);
    if (!isText || this.#text.length + letter.length > this.#maxLength) return undefined;
    this.#text += letter;
    return { is: "typed", letter };
  }
}
