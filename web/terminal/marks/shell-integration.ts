// Owns shell integration (OSC 133), by which a shell marks where commands begin and end: jumping
// between prompts, a command's output as text, a mark on failures. Also owns parsing the payload of
// `OSC 133 ;`, the marks of shell integration.

import type { IBuffer, IMarker, Terminal } from "@xterm/xterm";

/** Remembered commands; bounds the memory if a shell emits marks in a loop. */
const MAX_COMMANDS = 1000;

interface MarkedCommand {
  readonly prompt: IMarker;
  output?: IMarker;
  /** Line after the output; its last line if the output has no final newline (`isWhole` is false). */
  end?: { readonly marker: IMarker; readonly isWhole: boolean };
}

export class ShellIntegration {
  readonly #term: Terminal;
  readonly #commands: MarkedCommand[] = [];
  /** Prompt that the user jumped to, until they type. */
  #jumpedTo: IMarker | undefined;

  /** Listens until the terminal is disposed. */
  constructor(term: Terminal) {
    this.#term = term;
    term.parser.registerOscHandler(133, (values) => this.#onMark(values));
    term.onData(() => {
      this.#jumpedTo = undefined;
    });
  }

  /** Scrolls to the previous or next prompt; false if the shell marks none. */
  jumpToPrompt(to: "previous" | "next"): boolean {
    const lines = this.#listLiveCommands().map(({ prompt }) => prompt);
    const from =
      this.#jumpedTo?.isDisposed === false ? this.#jumpedTo.line : this.#getCurrentLine(lines);
    const target =
      to === "previous"
        ? lines.findLast(({ line }) => line < from)
        : lines.find(({ line }) => line > from);
    if (!target) return lines.length > 0;
    this.#jumpedTo = target;
    this.#term.scrollToLine(target.line);
    this.#term.selectLines(target.line, target.line);
    return true;
  }

  /** Returns the output of the command jumped to, else of the last finished one; undefined if there is none. */
  getOutput(): string | undefined {
    const ended = this.#listLiveCommands().filter(({ output, end }) => output && end);
    const wanted = ended.find(({ prompt }) => prompt === this.#jumpedTo) ?? ended.at(-1);
    if (!wanted?.output || !wanted.end) return undefined;
    const { marker, isWhole } = wanted.end;
    return getText(this.#term.buffer.normal, wanted.output.line, marker.line + (isWhole ? 0 : 1));
  }

  /** Returns the line to jump from: the top of the view if scrolled back, else the current prompt. */
  #getCurrentLine(prompts: readonly IMarker[]): number {
    const { viewportY, baseY } = this.#term.buffer.active;
    return viewportY < baseY ? viewportY : (prompts.at(-1)?.line ?? 0);
  }

  #listLiveCommands(): MarkedCommand[] {
    return this.#commands.filter(({ prompt }) => !prompt.isDisposed && prompt.line >= 0);
  }

  #onMark(values: string): boolean {
    const { active } = this.#term.buffer;
    // The alternate screen has no scrollback to mark.
    if (active.type !== "normal") return true;
    const last = this.#commands.at(-1);
    const mark = parseMark(values);
    switch (mark?.is) {
      case "prompt":
        this.#commands.push({ prompt: this.#term.registerMarker(0) });
        if (this.#commands.length > MAX_COMMANDS) disposeCommand(this.#commands.shift());
        break;
      case "output":
        if (last) last.output = this.#term.registerMarker(0);
        break;
      case "end":
        if (!last?.output || last.end) break;
        last.end = { marker: this.#term.registerMarker(0), isWhole: active.cursorX === 0 };
        if (mark.failed) this.#showFailure(last, mark.code);
        break;
      default:
    }
    return true;
  }

  #showFailure({ prompt }: MarkedCommand, code: number): void {
    const decoration = this.#term.registerDecoration({ marker: prompt, width: 1, layer: "top" });
    decoration?.onRender((element) => {
      element.classList.add("failed-mark");
      element.title = `Exited with ${code}`;
    });
  }
}

function disposeCommand(command: MarkedCommand | undefined): void {
  command?.prompt.dispose();
  command?.output?.dispose();
  command?.end?.marker.dispose();
}

/** Returns the buffer's text with wrapped lines joined. */
function getText(buffer: IBuffer, from: number, to: number): string {
  const lines: string[] = [];
  for (let row = from; row < to; row += 1) {
    const line = buffer.getLine(row);
    const isBroken = buffer.getLine(row + 1)?.isWrapped === true;
    const text = line?.translateToString(!isBroken) ?? "";
    if (line?.isWrapped && lines.length > 0) lines.push(`${lines.pop()}${text}`);
    else lines.push(text);
  }
  return lines.map((line) => `${line}\n`).join("");
}

export type ShellMark =
  | { readonly is: "prompt" }
  | { readonly is: "output" }
  | { readonly is: "end"; readonly failed: boolean; readonly code: number };

/** Parses a mark; undefined for B (start of input) and for extensions, which are not needed here. */
export function parseMark(values: string): ShellMark | undefined {
  const [kind, code = ""] = values.split(";");
  switch (kind) {
    case "A":
      return { is: "prompt" };
    case "C":
      return { is: "output" };
    case "D": {
      const number = /^\d{1,3}$/.test(code) ? Number(code) : 0;
      return { is: "end", failed: number !== 0, code: number };
    }
    default:
      return undefined;
  }
}
