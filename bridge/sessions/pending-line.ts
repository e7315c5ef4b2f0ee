// Owns the pending line of a terminal as the bridge knows it: text that was typed but not
// submitted, and the lines that a call submits. Pure. The line is known only while agents typed
// nothing but plain characters at a shell's prompt, in the same foreground process group. Otherwise
// it is unknown, and the shell may read any suffix of what was typed.
//
// Decides nothing about safety; agents/typing-gate.ts judges the lines.

import type { InputReader } from "./shell-programs.ts";
import type { KeyInput } from "./named-keys.ts";

export type PendingLine = KnownLine | UnknownLine;

export interface KnownLine {
  readonly kind: "known";
  /** Plain characters, typed at the prompt of `group`; an empty line is valid for every group. */
  readonly text: string;
  readonly group: number | undefined;
  /** Number of inputs the terminal had got: any other input changes it. */
  readonly generation: number;
}

export interface UnknownLine {
  readonly kind: "unknown";
  /** Everything that agents typed and programs may not have read yet, including newlines. */
  readonly typed: string;
  /** The same line for display, with the names of keys, which may edit it. */
  readonly shown: string;
  /** Other callers, or an earlier bridge, may have typed text that is not in `typed`. */
  readonly hasForeignText: boolean;
  /**
   * Whether Enter ends the line. False in a mode (search, completion, a literal key) that may
   * consume it.
   */
  readonly isEnterSure: boolean;
  readonly generation: number;
}

/** State of the terminal right before keys are typed. */
export interface LineContext {
  readonly reader: InputReader;
  readonly group: number | undefined;
  readonly generation: number;
}

/** A line that the keys submit, without its newline. */
export type SentLine =
  /** The shell at its prompt reads exactly this. */
  | { readonly kind: "known"; readonly text: string }
  /** A shell may read this, any suffix of it, or more. */
  | { readonly kind: "unknown"; readonly typed: string; readonly why: UnknownReason };

/** Why it is unknown what a shell would read. */
export type UnknownReason =
  /** Keys edited the line, or earlier text may still be in it. */
  | "edited"
  /** Another caller or an earlier bridge typed. */
  | "foreign"
  /** The shell may still run a program that reads the terminal. */
  | "ahead"
  /** Another program or a hidden shell reads the terminal. */
  | "reader";

export interface TypedResult {
  readonly sent: readonly SentLine[];
  /** More lines were submitted than are listed. */
  readonly isCut: boolean;
  /** The text of the submitted lines, as typed. */
  readonly text: string;
  /** The same line for display, with the names of keys. */
  readonly shown: string;
  /** The keys after a line that may start a program, which may read them. */
  readonly ahead: readonly KeyInput[];
  /** The line after the keys; with the generation of the context. */
  readonly next: PendingLine;
}

/** Decides by a shell's grammar what an Enter leaves open (policy/command-form.ts). */
export interface LineGrammar {
  /** Whether a shell at its prompt runs this line immediately. */
  readonly isSurelyComplete: (line: string) => boolean;
  /** Whether the same is true for every suffix of the line. */
  readonly leavesNothingOpen: (line: string) => boolean;
}

/** At least this much of a line is stored, and at most twice that. */
export const MAX_TYPED_CHARS = 4_096;

/** A call that submits more lines is approved as a whole. */
export const MAX_SENT_LINES = 200;

/** Returns the initial line of a terminal that the bridge has not typed into yet. */
export function getInitialLine(generation: number): PendingLine {
  // A terminal that this bridge started and that got no input has no pending text.
  if (generation === 0) return { kind: "known", text: "", group: undefined, generation };
  return {
    kind: "unknown",
    typed: "",
    shown: "",
    hasForeignText: true,
    isEnterSure: false,
    generation,
  };
}

/** Returns the line for this context: known only for the same group and generation. */
export function resolvePendingLine(
  line: PendingLine,
  { group, generation }: LineContext,
): PendingLine {
  if (line.generation !== generation) {
    return { ...toUnknown(line), hasForeignText: true, isEnterSure: false, generation };
  }
  if (line.kind === "unknown" || line.text === "" || line.group === group) return line;
  return toUnknown(line);
}

/** Returns the lines that the keys submit, and the pending line after them. */
export function typeKeys(
  before: PendingLine,
  typed: readonly KeyInput[],
  context: LineContext,
  grammar: LineGrammar,
): TypedResult {
  const editor = new LineEditor(resolvePendingLine(before, context), context, grammar);
  for (const one of typed) {
    if (one.kind === "text") for (const char of one.text) editor.press(char);
    else editor.pressKey(one.name, one.bytes);
  }
  const { sent, isCut, text, shown, ahead, line: next } = editor;
  return { sent, isCut, text, shown, ahead, next };
}

/** Whether these keys contain one that ends a line. */
export function endsLine(keys: string): boolean {
  return keys.includes(RUN_AND_NEXT) || /[\r\n]/.test(keys);
}

/**
 * Move in the line or delete from it; they open no search or completion that an Enter would end.
 */
const CURSOR_KEYS: ReadonlySet<string> = new Set("Left Right Home End Del Delete".split(" "));
/** Replace the line with one of the history, whose content is unknown. */
const RECALL_KEYS: ReadonlySet<string> = new Set(["Up", "Down"]);

const ENTERS: ReadonlySet<string> = new Set(["\r", "\n"]);
/** `operate-and-get-next`: runs the line and replaces it with one of the history. */
const RUN_AND_NEXT = "\x0f";
/** Within a line it submits the text; at its start it is end-of-file. */
const END_OF_INPUT = "\x04";
const INTERRUPT = "\x03";
/**
 * Without text before them these do nothing: ^A ^B ^E ^F ^G ^H ^K ^L ^T ^U ^W, ^Z, ^\, Backspace.
 */
const NOTHING_WHEN_EMPTY: ReadonlySet<string> = new Set(
  "\x01\x02\x05\x06\x07\b\x0b\f\x14\x15\x17\x1a\x1c\x7f",
);
/** Insert other text into the line: ^N and ^P the history, ^Y the deleted text. */
const RECALLS: ReadonlySet<string> = new Set("\x0e\x10\x19");
/** May run something immediately: an editor for the line, a key with a macro. */
const MAY_RUN: ReadonlySet<string> = new Set(["\x18", "\x1b"]);
/** Completion: zsh expands the line for it, and shells run programs and Makefiles to list words. */
const TAB = "\t";
/** A single name is completed from folders and lists, and runs nothing. */
const NAME_ALONE = /^\s*[\w@%+:,./-]*$/;
const PLAIN = /^[ -~]$/;
/**
 * History expansion: interactive shells replace it, and some show the result instead of running it.
 */
const HISTORY = /!(?=[^\s=(])|^\s*\^/;
/** Builtins that wait or read inside the shell: it looks like a prompt, but is not. */
const BLOCKS_SHELL =
  /(?:^|[\s;&|({])(?:read|wait|mapfile|readarray|vared|sysread|zselect|suspend|source|\.|eval|exec|fg)(?=$|[\s;&|)}])/;
/** Commands that never read the terminal: the next line of the same call stays known. */
const READS_NOTHING =
  /^\s*(?:(?:cd|ls|echo|pwd|true|date|whoami|id|uname)(?: +[\w./:@%+,=~-]+)*)?\s*$/;

/** Tracks one call's keys. */
class LineEditor {
  readonly sent: SentLine[] = [];
  isCut = false;
  /** Everything up to the last submitted line. */
  text = "";
  shown = "";
  readonly ahead: KeyInput[] = [];
  /** Characters since then. */
  #unsent: string;
  #unsentShown: string;

  readonly #context: LineContext;
  readonly #grammar: LineGrammar;
  #line: PendingLine;
  /** An earlier line of this call may still run: what follows is typed ahead. */
  #isAhead = false;
  /** A submitted line of this call may start a program. */
  #mayStart = false;
  /** The previous key completed a name; one more lists the names. */
  #hasCompletedName = false;

  constructor(line: PendingLine, context: LineContext, grammar: LineGrammar) {
    this.#line = line;
    this.#context = context;
    this.#grammar = grammar;
    this.#unsent = line.kind === "known" ? line.text : line.typed;
    this.#unsentShown = line.kind === "known" ? line.text : line.shown;
  }

  get line(): PendingLine {
    if (this.#line.kind === "known") return this.#line;
    return { ...this.#line, shown: this.#unsentShown.slice(-MAX_TYPED_CHARS) };
  }

  /** Handles a named key of the call. */
  pressKey(name: string, bytes: string): void {
    if (bytes === " " || ENTERS.has(bytes)) return this.press(bytes);
    if (this.#mayStart) this.ahead.push({ kind: "key", name, bytes });
    this.#unsentShown += `<${name}>`;
    if (bytes !== TAB) this.#hasCompletedName = false;
    if (CURSOR_KEYS.has(name)) return this.#edit();
    if (RECALL_KEYS.has(name)) return this.#recall();
    for (const char of bytes) this.#take(char);
    return undefined;
  }

  /** Handles a character of the call's text. */
  press(char: string): void {
    if (!ENTERS.has(char)) {
      if (this.#mayStart) this.ahead.push({ kind: "text", text: char });
      this.#unsentShown += isPrinted(char) ? char : toCaret(char);
    }
    this.#take(char);
  }

  #take(char: string): void {
    if (char === TAB) return this.#complete();
    this.#hasCompletedName = false;
    if (isPrinted(char)) this.#unsent += char;
    const isEmpty = this.#line.kind === "known" && this.#line.text === "";
    if (ENTERS.has(char)) this.#enter();
    else if (char === RUN_AND_NEXT) {
      this.#send();
      this.#makeUnknown("\n", false);
    } else if (char === END_OF_INPUT) {
      if (isLineEmpty(this.#line)) return;
      this.#makeUnknown("", false);
      this.#send();
    } else if (char === INTERRUPT) this.#interrupt();
    else if (PLAIN.test(char)) this.#append(char);
    else if (NOTHING_WHEN_EMPTY.has(char)) {
      if (!isEmpty) this.#edit();
    } else if (RECALLS.has(char)) this.#recall();
    else if (char >= "\u00A0") {
      // Without UTF-8, a shell reads the bytes of other characters as keys.
      this.#makeUnknown(char, true);
    } else {
      this.#makeUnknown("", false);
      if (MAY_RUN.has(char) && isShell(this.#context.reader)) this.#send();
    }
  }

  #complete(): void {
    const line = this.#line;
    const isName = line.kind === "known" && NAME_ALONE.test(line.text);
    this.#hasCompletedName ||= isName;
    if (isShell(this.#context.reader) && !this.#hasCompletedName) {
      const [mayStart, text, shown] = [this.#mayStart, this.#unsent, this.#unsentShown];
      this.#send();
      // Starts no program that reads, and the text stays in the line.
      this.#mayStart = mayStart;
      if (!this.isCut) this.#unsent += text.trimStart().slice(-MAX_TYPED_CHARS);
      if (!this.isCut) this.#unsentShown += shown.trimStart().slice(-MAX_TYPED_CHARS);
    }
    this.#makeUnknown("", false);
  }

  /** Handles a key that edits the line in an untracked way; Enter still ends the line. */
  #edit(): void {
    this.#makeUnknown("", true);
  }

  /** Handles a key that inserts unknown text: an Enter may then open a quote or a block. */
  #recall(): void {
    this.#makeUnknown("", false);
  }

  #append(char: string): void {
    const line = this.#line;
    const isAtPrompt = this.#context.reader === "prompt" && !this.#isAhead;
    if (line.kind === "unknown" || !isAtPrompt || line.text.length >= MAX_TYPED_CHARS) {
      return this.#makeUnknown(char, true);
    }
    this.#line = { ...line, text: line.text + char, group: this.#context.group };
  }

  /** Handles ^C: a shell at its prompt leaves every mode, but a key before may make it literal. */
  #interrupt(): void {
    const line = this.#line;
    if (line.kind === "known") {
      if (line.text !== "") this.#edit();
      return;
    }
    // Any other program may read it as a key.
    if (this.#context.reader !== "prompt" || this.#isAhead) return;
    const typed = line.typed.slice(line.typed.lastIndexOf("\n") + 1);
    const { generation } = line;
    this.#line =
      typed === "" && !line.hasForeignText && line.isEnterSure
        ? { kind: "known", text: "", group: this.#context.group, generation }
        : { ...line, typed, isEnterSure: true };
  }

  #enter(): void {
    this.#send();
    const line = this.#line;
    const text = line.kind === "known" ? line.text : line.typed;
    const isOver = this.#isOver(line, text);
    // An unknown line may start a program that reads what follows, including an interrupt.
    if (line.kind === "unknown" || !READS_NOTHING.test(text)) this.#isAhead = true;
    if (!isOver) return this.#makeUnknown("\n", true);
    const { generation } = line;
    this.#line = { kind: "known", text: "", group: this.#context.group, generation };
    return undefined;
  }

  /** Whether nothing of the line, and nothing that it opened, is left after its Enter. */
  #isOver(line: PendingLine, text: string): boolean {
    const last = text.slice(text.lastIndexOf("\n") + 1);
    if (HISTORY.test(last) || BLOCKS_SHELL.test(last)) return false;
    if (line.kind === "known") return this.#grammar.isSurelyComplete(text);
    return line.isEnterSure && this.#grammar.leavesNothingOpen(text);
  }

  #send(): void {
    const line = this.#line;
    this.text += this.#unsent;
    this.shown += this.#unsentShown;
    this.#unsent = "\n";
    this.#unsentShown = "\n";
    if (line.kind === "unknown" || !READS_NOTHING.test(line.text)) this.#mayStart = true;
    if (this.sent.length >= MAX_SENT_LINES) {
      this.isCut = true;
      return;
    }
    if (line.kind === "known") {
      const { text } = line;
      if (text === "") this.sent.push({ kind: "known", text });
      else if (HISTORY.test(text)) this.sent.push({ kind: "unknown", typed: text, why: "edited" });
      else this.sent.push({ kind: "known", text });
    } else this.sent.push({ kind: "unknown", typed: line.typed, why: this.#why(line) });
  }

  #why(line: UnknownLine): UnknownReason {
    if (line.hasForeignText) return "foreign";
    if (!isShell(this.#context.reader) || this.#context.reader === "elsewhere") return "reader";
    if (this.#isAhead || this.#context.reader === "busy") return "ahead";
    return "edited";
  }

  #makeUnknown(added: string, isEnterSure: boolean): void {
    const line = toUnknown(this.#line);
    const longer = line.typed + added;
    // Cut rarely: a cut copies the text.
    const typed = longer.length > 2 * MAX_TYPED_CHARS ? longer.slice(-MAX_TYPED_CHARS) : longer;
    this.#line = { ...line, typed, isEnterSure: line.isEnterSure && isEnterSure };
  }
}

function isShell(reader: InputReader): boolean {
  return reader === "prompt" || reader === "busy" || reader === "elsewhere";
}

/** Whether no text is before the cursor, whatever earlier lines left open. */
function isLineEmpty(line: PendingLine): boolean {
  if (line.kind === "known") return line.text === "";
  return !line.hasForeignText && line.isEnterSure && /(?:^|\n)$/.test(line.typed);
}

function toUnknown(line: PendingLine): UnknownLine {
  if (line.kind === "unknown") return line;
  const { text, generation } = line;
  return {
    kind: "unknown",
    typed: text,
    shown: text,
    hasForeignText: false,
    isEnterSure: true,
    generation,
  };
}

function isPrinted(char: string): boolean {
  return char >= " " && char !== "\x7f";
}

/** Returns a control character as terminals echo it: `^U`. */
function toCaret(char: string): string {
  return `^${String.fromCharCode(char.charCodeAt(0) ^ 0x40)}`;
}
