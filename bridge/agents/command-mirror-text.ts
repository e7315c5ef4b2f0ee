// Owns how a command looks in the terminal that mirrors it: its line, its output as plain text, its
// exit. Pure except for the state of the streams. Escape sequences are removed: a program's output
// must not move the cursor, nor send a query that no terminal would answer.

import type { Exit } from "../../protocol/terminal.ts";
import { toOneLine } from "../../protocol/title.ts";
import { countUnfinishedTail } from "../../protocol/utf8.ts";
import type { OutputName } from "../commands/command-run.ts";
import { PlainTextDecoder } from "../sequences/plain-text.ts";

/** Bytes shown per run; the agent has more. */
export const SHOWN_BYTES = 64 << 10;
const LINE_CHARS = 400;
const RESUME_CHARS = 60;

const BOLD = "\x1b[1m";
const DIM = "\x1b[2m";
const RED = "\x1b[31m";
const PLAIN = "\x1b[0m";

interface Stream {
  readonly between: PlainTextDecoder;
  /** Bytes of an incomplete character. */
  rest: Buffer;
}

export class CommandMirrorText {
  readonly #streams: Record<OutputName, Stream> = { stdout: newStream(), stderr: newStream() };
  #shown = 0;
  #omitted = 0;
  #isLineOpen = false;

  begin(line: string): string {
    return `${BOLD}$ ${shorten(line, LINE_CHARS)}${PLAIN}\r\n`;
  }

  /** Formats a header for output that continues after another command of the same agent printed. */
  resume(line: string): string {
    return `\r\n${DIM}[${shorten(line, RESUME_CHARS)}]${PLAIN}\r\n`;
  }

  /** Formats output; "" if there is nothing to show. */
  output(name: OutputName, bytes: Uint8Array): string {
    const room = Math.max(0, SHOWN_BYTES - this.#shown);
    this.#shown += Math.min(room, bytes.length);
    this.#omitted += Math.max(0, bytes.length - room);
    const text = decodeText(this.#streams[name], bytes.subarray(0, room));
    if (text === "") return "";
    this.#isLineOpen = !text.endsWith("\n");
    const shown = text.replaceAll(/\r?\n/g, "\r\n");
    return name === "stderr" ? `${RED}${shown}${PLAIN}` : shown;
  }

  end({ exitCode, signal }: Exit, milliseconds: number): string {
    const how = exitCode === null ? (signal ?? "gone") : `exit ${exitCode}`;
    const left = this.#omitted > 0 ? `${this.#omitted} more bytes are not shown; ` : "";
    const start = this.#isLineOpen ? "\r\n" : "";
    return `${start}${DIM}[${left}${how}, ${(milliseconds / 1_000).toFixed(1)} s]${PLAIN}\r\n`;
  }
}

function shorten(line: string, most: number): string {
  const oneLine = toOneLine(line);
  return oneLine.length > most ? `${oneLine.slice(0, most)}…` : oneLine;
}

function newStream(): Stream {
  return { between: new PlainTextDecoder(), rest: Buffer.alloc(0) };
}

function decodeText(stream: Stream, bytes: Uint8Array): string {
  const whole = Buffer.concat([stream.rest, bytes]);
  const end = whole.length - countUnfinishedTail(whole);
  stream.rest = whole.subarray(end);
  return stream.between.take(whole.subarray(0, end));
}
