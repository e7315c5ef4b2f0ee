// Prints to the right stream: stdout carries results (links, tables, JSON), stderr everything else.

import pc from "picocolors";
import { UserError, messageOf } from "../../errors.ts";
import { asTyped } from "./command-name.ts";
import { plain } from "./plain.ts";
import { hasColors } from "./surface.ts";
import { wrap } from "./wrap.ts";

/** For stderr. */
const colors = pc.createColors(hasColors(process.env, process.stderr));
/** For stdout: links, tables and log lines. */
const stdoutColors = pc.createColors(hasColors(process.env, process.stdout));
export { colors, stdoutColors };

// A reader may stop reading (`| head -1`), which must not end the bridge.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

/** As wide as "error ". */
const HANGING = "      ";

/** Output queued while another program uses the window; undefined otherwise. */
let held: { readonly stream: NodeJS.WriteStream; readonly text: string }[] | undefined;
/** The oldest output beyond this is dropped. */
const MOST_HELD = 500;

/** Queues output while another program uses the window. Returns a function that prints it. */
export function holdOutput(): () => void {
  held = [];
  return () => {
    const waiting = held ?? [];
    held = undefined;
    for (const { stream, text } of waiting) stream.write(text);
  };
}

function write(stream: NodeJS.WriteStream, text: string): void {
  if (held === undefined) return void stream.write(text);
  held.push({ stream, text });
  if (held.length > MOST_HELD) held.shift();
  return undefined;
}

export function printLine(text: string): void {
  write(process.stdout, `${text}\n`);
}

export function printJson(value: object): void {
  printLine(plain(JSON.stringify(value)));
}

/** Returns the width of stdout's window; undefined for pipes. */
export function windowWidth(): number | undefined {
  const { columns, isTTY } = process.stdout;
  return isTTY && columns > 0 ? columns : undefined;
}

/** Prints to stderr; replaces commands by what to type here. */
export function say(text: string): void {
  write(process.stderr, `${asTyped(text)}\n`);
}

/** Prints sentences to stderr, wrapped to the window. */
export function tell(text: string, paint: (line: string) => string = (line) => line): void {
  say(fitted(text).map(paint).join("\n"));
}

export function warn(text: string): void {
  tellAs("warning", colors.yellow, text);
}

/** Prints labelled text; continuation lines align below it. */
function tellAs(label: string, paint: (text: string) => string, text: string): void {
  const [first = "", ...more] = text.split("\n");
  const [head = "", ...rest] = fitted(`${label} ${first}`, HANGING.length);
  say([head.replace(label, paint), ...rest.map((line) => HANGING + line)].join("\n"));
  if (more.length > 0) tell(more.join("\n"));
}

/** Wraps each line with its own indent; `least` columns stay free at least. */
function fitted(text: string, least = 0): string[] {
  const { columns } = process.stderr;
  if (!(columns > 0)) return text.split("\n");
  return asTyped(text)
    .split("\n")
    .flatMap((line) => {
      if (line.length <= columns - least) return [line];
      const indent = /^ */.exec(line)?.[0] ?? "";
      const lines = wrap(line, Math.max(1, columns - Math.max(indent.length, least)));
      return lines.map((part) => indent + part);
    });
}

/** Prints commander's error about wrong usage: the first line says what, the rest what to do. */
export function complain(text: string): void {
  const [what, ...more] = text.trim().split("\n");
  tellAs("error", colors.red, [what, ...more.map((line) => HANGING + line)].join("\n"));
}

/** Prints a user error with its hint, or a bug with its stack. */
export function explainError(error: unknown): void {
  if (error instanceof UserError) {
    tellAs("error", colors.red, error.message);
    if (error.hint !== undefined) tell(`${HANGING}${error.hint}`);
    return;
  }
  say(`${colors.red("error")} this is a bug in pairpty: ${messageOf(error)}`);
  if (error instanceof Error && error.stack !== undefined) say(colors.dim(error.stack));
}
