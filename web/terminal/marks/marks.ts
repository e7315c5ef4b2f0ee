// Owns where commands begin and end in a terminal, as far as its shell says so (OSC 133, "shell
// integration"): going from prompt to prompt, a command's output as text, a mark on failures.

import type { IBuffer, IMarker, Terminal } from "@xterm/xterm";
import { markOf } from "./sequence.ts";

/** Each is a few objects; a shell that marks in a loop must not fill the memory. */
const MOST = 1000;

interface Command {
  readonly prompt: IMarker;
  output?: IMarker;
  /** The line behind the output, or its last line where that has no end. */
  end?: { readonly marker: IMarker; readonly isWhole: boolean };
}

export class Marks {
  readonly #term: Terminal;
  readonly #commands: Command[] = [];
  /** The prompt that was jumped to, until something is typed or printed at the bottom. */
  #at: IMarker | undefined;

  /** Until the terminal is disposed. */
  constructor(term: Terminal) {
    this.#term = term;
    term.parser.registerOscHandler(133, (values) => this.#onMark(values));
    term.onData(() => {
      this.#at = undefined;
    });
  }

  /** False where there is none. */
  jump(to: "previous" | "next"): boolean {
    const lines = this.#living().map(({ prompt }) => prompt);
    const from = this.#at?.isDisposed === false ? this.#at.line : this.#hereLine(lines);
    const target =
      to === "previous"
        ? lines.findLast(({ line }) => line < from)
        : lines.find(({ line }) => line > from);
    if (!target) return lines.length > 0;
    this.#at = target;
    this.#term.scrollToLine(target.line);
    this.#term.selectLines(target.line, target.line);
    return true;
  }

  /** Of the command that was jumped to, else of the last that ended; undefined where there is none. */
  output(): string | undefined {
    const ended = this.#living().filter(({ output, end }) => output && end);
    const wanted = ended.find(({ prompt }) => prompt === this.#at) ?? ended.at(-1);
    if (!wanted?.output || !wanted.end) return undefined;
    const { marker, isWhole } = wanted.end;
    return textOf(this.#term.buffer.normal, wanted.output.line, marker.line + (isWhole ? 0 : 1));
  }

  /** Where nothing was jumped to: the prompt in use, or what is at the top of the view. */
  #hereLine(prompts: readonly IMarker[]): number {
    const { viewportY, baseY } = this.#term.buffer.active;
    return viewportY < baseY ? viewportY : (prompts.at(-1)?.line ?? 0);
  }

  #living(): Command[] {
    return this.#commands.filter(({ prompt }) => !prompt.isDisposed && prompt.line >= 0);
  }

  #onMark(values: string): boolean {
    const { active } = this.#term.buffer;
    // A full-screen program's lines are not the scrollback's.
    if (active.type !== "normal") return true;
    const last = this.#commands.at(-1);
    const mark = markOf(values);
    switch (mark?.is) {
      case "prompt":
        this.#commands.push({ prompt: this.#term.registerMarker(0) });
        if (this.#commands.length > MOST) forget(this.#commands.shift());
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

  #showFailure({ prompt }: Command, code: number): void {
    const decoration = this.#term.registerDecoration({ marker: prompt, width: 1, layer: "top" });
    decoration?.onRender((element) => {
      element.classList.add("failed-mark");
      element.title = `Exited with ${code}`;
    });
  }
}

function forget(command: Command | undefined): void {
  command?.prompt.dispose();
  command?.output?.dispose();
  command?.end?.marker.dispose();
}

/** Lines that were too long for the window are one again. */
function textOf(buffer: IBuffer, from: number, to: number): string {
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
