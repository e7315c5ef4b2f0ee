// Owns the pending line of a terminal as the bridge knows it: the text that was typed and not sent
// off, and which lines a call's keys send off. Pure. The line is known only while nothing but plain
// characters was typed at a shell's prompt, by agents, to the same foreground process group. Anything
// else makes it unknown; then every end part of what was typed may be what the shell reads.
//
// Decides nothing about safety; agents/typing.ts judges the lines.

import type { InputReader } from "./input-reader.ts";
import type { Typed } from "./keys.ts";

export type PendingLine = KnownLine | UnknownLine;

export interface KnownLine {
  readonly kind: "known";
  /** Plain characters, typed at the prompt of `group`; an empty line is empty for every group. */
  readonly text: string;
  readonly group: number | undefined;
  /** How many inputs the terminal had got: an input of anybody else makes another number. */
  readonly generation: number;
}

export interface UnknownLine {
  readonly kind: "unknown";
  /** All that agents typed and the terminal's programs may not have consumed, newlines included. */
  readonly typed: string;
  /** The same for people to see, with the names of keys: they change what stands in the line. */
  readonly shown: string;
  /** Somebody else, or an earlier bridge, may have typed text that is not in `typed`. */
  readonly hasForeignText: boolean;
  /** An Enter ends the line. False in a mode (search, completion, a literal key) that may swallow it. */
  readonly isEnterSure: boolean;
  readonly generation: number;
}

/** What a look at the terminal finds, right before keys are typed. */
export interface LineContext {
  readonly reader: InputReader;
  readonly group: number | undefined;
  readonly generation: number;
}

/** A line that the keys send off, without its newline. */
export type SentLine =
  /** The shell at its prompt reads exactly this. */
  | { readonly kind: "known"; readonly text: string }
  /** A shell may read this, any end part of it, or more. */
  | { readonly kind: "unknown"; readonly typed: string; readonly why: UnknownWhy };

/** Why it is not known what a shell would read. */
export type UnknownWhy =
  /** Keys edited the line, or text of before may still stand in it. */
  | "edited"
  /** Somebody else typed, or an earlier bridge did. */
  | "foreign"
  /** The shell may still run something that reads the terminal. */
  | "ahead"
  /** Another program reads the terminal, or a shell that is out of sight. */
  | "reader";

export interface TypedResult {
  readonly sent: readonly SentLine[];
  /** More lines were sent off than are listed. */
  readonly isCut: boolean;
  /** The text of the lines that were sent off, as it was typed. */
  readonly text: string;
  /** The same for people to see, with the names of keys. */
  readonly shown: string;
  /** The keys behind a line that may start a program, which may read them. */
  readonly ahead: readonly Typed[];
  /** The line after the keys; its generation is that of the look. */
  readonly next: PendingLine;
}

/** Decides, from a shell's grammar, what an Enter leaves behind (policy/completeness.ts). */
export interface LineGrammar {
  /** A shell at its prompt that reads this line runs it at once. */
  readonly isSurelyComplete: (line: string) => boolean;
  /** The same for every end part of it, too. */
  readonly opensNothing: (line: string) => boolean;
}

/** At least so much is kept of a line, and at most twice that. */
export const MAX_TYPED_CHARS = 4_096;

/** A call that sends off more is asked about as a whole. */
export const MAX_SENT_LINES = 200;

/** Returns the line of a terminal that the bridge has not typed into yet. */
export function firstLine(generation: number): PendingLine {
  // A terminal that this bridge started, and that got no input yet, has nothing pending.
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

/** Returns the line as it is for this look: known only for the same group and generation. */
export function observe(line: PendingLine, { group, generation }: LineContext): PendingLine {
  if (line.generation !== generation) {
    return { ...toUnknown(line), hasForeignText: true, isEnterSure: false, generation };
  }
  if (line.kind === "unknown" || line.text === "" || line.group === group) return line;
  return toUnknown(line);
}

/** Returns the lines that the keys send off, and the line that is pending after them. */
export function typeKeys(
  before: PendingLine,
  typed: readonly Typed[],
  context: LineContext,
  grammar: LineGrammar,
): TypedResult {
  const editor = new LineEditor(observe(before, context), context, grammar);
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

/** Move in the line or remove from it; they open no search or completion that an Enter would end. */
const CURSOR_KEYS: ReadonlySet<string> = new Set("Left Right Home End Del Delete".split(" "));
/** Put a line of the history in the place of this one: nobody knows what it opens. */
const RECALL_KEYS: ReadonlySet<string> = new Set(["Up", "Down"]);

const ENTERS: ReadonlySet<string> = new Set(["\r", "\n"]);
/** `operate-and-get-next`: runs the line and puts one of the history in its place. */
const RUN_AND_NEXT = "\x0f";
/** In a line it hands over what stands there; before one it is the end of input. */
const END_OF_INPUT = "\x04";
const INTERRUPT = "\x03";
/** With no text before them these do nothing: ^A ^B ^E ^F ^G ^H ^K ^L ^T ^U ^W, ^Z, ^\, Backspace. */
const NOTHING_WHEN_EMPTY: ReadonlySet<string> = new Set(
  "\x01\x02\x05\x06\x07\b\x0b\f\x14\x15\x17\x1a\x1c\x7f",
);
/** Put text from elsewhere into the line: ^N and ^P the history, ^Y what was removed. */
const RECALLS: ReadonlySet<string> = new Set("\x0e\x10\x19");
/** They may run something by themselves: an editor for the line, a key with a macro. */
const ACTS: ReadonlySet<string> = new Set(["\x18", "\x1b"]);
/** Completion: zsh expands the line for it, and shells run programs and Makefiles to list words. */
const COMPLETES = "\t";
/** A name alone is completed from folders and lists, and runs nothing. */
const NAME_ALONE = /^\s*[\w@%+:,./-]*$/;
const PLAIN = /^[ -~]$/;
/** Interactive shells put lines of before in its place, and some show them instead of running them. */
const HISTORY = /!(?=[^\s=(])|^\s*\^/;
/** What runs inside the shell and waits or reads there: no prompt is back when it looks like one. */
const BLOCKS_SHELL =
  /(?:^|[\s;&|({])(?:read|wait|mapfile|readarray|vared|sysread|zselect|suspend|source|\.|eval|exec|fg)(?=$|[\s;&|)}])/;
/** Lines that start nothing that could read the terminal: the next line of the same call is known. */
const READS_NOTHING =
  /^\s*(?:(?:cd|ls|echo|pwd|true|date|whoami|id|uname)(?: +[\w./:@%+,=~-]+)*)?\s*$/;

/** Follows one call's keys. */
class LineEditor {
  readonly sent: SentLine[] = [];
  isCut = false;
  /** Up to the last line that was sent off. */
  text = "";
  shown = "";
  readonly ahead: Typed[] = [];
  /** Characters since then. */
  #unsent: string;
  #unsentShown: string;

  readonly #context: LineContext;
  readonly #grammar: LineGrammar;
  #line: PendingLine;
  /** An earlier line of this call may still run: what follows is typed ahead. */
  #isAhead = false;
  /** A line of this call was sent off that may start a program. */
  #mayStart = false;
  /** The key before completed a name; one more lists the names. */
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

  /** Follows a key that the call names. */
  pressKey(name: string, bytes: string): void {
    if (bytes === " " || ENTERS.has(bytes)) return this.press(bytes);
    if (this.#mayStart) this.ahead.push({ kind: "key", name, bytes });
    this.#unsentShown += `<${name}>`;
    if (bytes !== COMPLETES) this.#hasCompletedName = false;
    if (CURSOR_KEYS.has(name)) return this.#edit();
    if (RECALL_KEYS.has(name)) return this.#recall();
    for (const char of bytes) this.#take(char);
    return undefined;
  }

  /** Follows a character of the call's text. */
  press(char: string): void {
    if (!ENTERS.has(char)) {
      if (this.#mayStart) this.ahead.push({ kind: "text", text: char });
      this.#unsentShown += isPrinted(char) ? char : toCaret(char);
    }
    this.#take(char);
  }

  #take(char: string): void {
    if (char === COMPLETES) return this.#complete();
    this.#hasCompletedName = false;
    if (isPrinted(char)) this.#unsent += char;
    const isEmpty = this.#line.kind === "known" && this.#line.text === "";
    if (ENTERS.has(char)) this.#enter();
    else if (char === RUN_AND_NEXT) {
      this.#send();
      this.#forget("\n", false);
    } else if (char === END_OF_INPUT) {
      if (hasNothingToHandOver(this.#line)) return;
      this.#forget("", false);
      this.#send();
    } else if (char === INTERRUPT) this.#interrupt();
    else if (PLAIN.test(char)) this.#append(char);
    else if (NOTHING_WHEN_EMPTY.has(char)) {
      if (!isEmpty) this.#edit();
    } else if (RECALLS.has(char)) this.#recall();
    else if (char >= "\u00A0") {
      // Outside UTF-8 a shell takes the bytes of other characters for keys.
      this.#forget(char, true);
    } else {
      this.#forget("", false);
      if (ACTS.has(char) && isShell(this.#context.reader)) this.#send();
    }
  }

  #complete(): void {
    const line = this.#line;
    const isName = line.kind === "known" && NAME_ALONE.test(line.text);
    this.#hasCompletedName ||= isName;
    if (isShell(this.#context.reader) && !this.#hasCompletedName) {
      const [mayStart, text, shown] = [this.#mayStart, this.#unsent, this.#unsentShown];
      this.#send();
      // No program that reads is started, and the text stays in the line.
      this.#mayStart = mayStart;
      if (!this.isCut) this.#unsent += text.trimStart().slice(-MAX_TYPED_CHARS);
      if (!this.isCut) this.#unsentShown += shown.trimStart().slice(-MAX_TYPED_CHARS);
    }
    this.#forget("", false);
  }

  /** A key changed the line in a way that is not followed; an Enter still ends it. */
  #edit(): void {
    this.#forget("", true);
  }

  /** A key put text into the line that nobody knows: an Enter may open a quote or a block. */
  #recall(): void {
    this.#forget("", false);
  }

  #append(char: string): void {
    const line = this.#line;
    const isAtPrompt = this.#context.reader === "prompt" && !this.#isAhead;
    if (line.kind === "unknown" || !isAtPrompt || line.text.length >= MAX_TYPED_CHARS) {
      return this.#forget(char, true);
    }
    this.#line = { ...line, text: line.text + char, group: this.#context.group };
  }

  /** A shell at its prompt leaves every mode and open quote; a key before it may have made it text. */
  #interrupt(): void {
    const line = this.#line;
    if (line.kind === "known") {
      if (line.text !== "") this.#edit();
      return;
    }
    // Any other program may take it for a key.
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
    // An unknown line may run anything, and that may read what follows, an interrupt included.
    if (line.kind === "unknown" || !READS_NOTHING.test(text)) this.#isAhead = true;
    if (!isOver) return this.#forget("\n", true);
    const { generation } = line;
    this.#line = { kind: "known", text: "", group: this.#context.group, generation };
    return undefined;
  }

  /** Whether nothing of the line, and nothing that it opened, is left after its Enter. */
  #isOver(line: PendingLine, text: string): boolean {
    const last = text.slice(text.lastIndexOf("\n") + 1);
    if (HISTORY.test(last) || BLOCKS_SHELL.test(last)) return false;
    if (line.kind === "known") return this.#grammar.isSurelyComplete(text);
    return line.isEnterSure && this.#grammar.opensNothing(text);
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

  #why(line: UnknownLine): UnknownWhy {
    if (line.hasForeignText) return "foreign";
    if (!isShell(this.#context.reader) || this.#context.reader === "elsewhere") return "reader";
    if (this.#isAhead || this.#context.reader === "busy") return "ahead";
    return "edited";
  }

  #forget(added: string, isEnterSure: boolean): void {
    const line = toUnknown(this.#line);
    const longer = line.typed + added;
    // Cut seldom: a cut copies the text.
    const typed = longer.length > 2 * MAX_TYPED_CHARS ? longer.slice(-MAX_TYPED_CHARS) : longer;
    this.#line = { ...line, typed, isEnterSure: line.isEnterSure && isEnterSure };
  }
}

function isShell(reader: InputReader): boolean {
  return reader === "prompt" || reader === "busy" || reader === "elsewhere";
}

/** Whether no text stands in front of the cursor, whatever earlier lines left open. */
function hasNothingToHandOver(line: PendingLine): boolean {
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

/** Names a control character as terminals echo it: `^U`. */
function toCaret(char: string): string {
  return `^${String.fromCharCode(char.charCodeAt(0) ^ 0x40)}`;
}
