// Owns who gets which stream: stdout carries what was asked for (links, tables, JSON), stderr the rest.

import pc from "picocolors";
import { UserError, messageOf } from "../../errors.ts";
import { asTyped } from "./command-name.ts";
import { plain } from "./plain.ts";
import { hasColors } from "./surface.ts";
import { wrap } from "./wrap.ts";

/** For stderr. */
const colors = pc.createColors(hasColors(process.env, process.stderr));
/** For links, tables and log lines, which go to stdout. */
const stdoutColors = pc.createColors(hasColors(process.env, process.stdout));
export { colors, stdoutColors };

// Whoever reads may stop reading (`| head -1`); that ends the printing, not the bridge.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

/** As wide as "error ". */
const HANGING = "      ";

/** What waits while somebody else has the window; undefined while nobody has. */
let held: { readonly stream: NodeJS.WriteStream; readonly text: string }[] | undefined;
/** Beyond it the oldest is dropped: nobody reads so much at once. */
const MOST_HELD = 500;

/** Somebody else has the window: what is printed waits. Returns how it comes after all. */
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

/** Of what is printed; undefined where nobody looks at it in a window. */
export function windowWidth(): number | undefined {
  const { columns, isTTY } = process.stdout;
  return isTTY && columns > 0 ? columns : undefined;
}

/** Every hint passes here. */
export function say(text: string): void {
  write(process.stderr, `${asTyped(text)}\n`);
}

/** Sentences, broken at words where the window is narrower than they are. */
export function tell(text: string, paint: (line: string) => string = (line) => line): void {
  say(fitted(text).map(paint).join("\n"));
}

export function warn(text: string): void {
  tellAs("warning", colors.yellow, text);
}

/** What follows the first line stands below its text. */
function tellAs(label: string, paint: (text: string) => string, text: string): void {
  const [first = "", ...more] = text.split("\n");
  const [head = "", ...rest] = fitted(`${label} ${first}`, HANGING.length);
  say([head.replace(label, paint), ...rest.map((line) => HANGING + line)].join("\n"));
  if (more.length > 0) tell(more.join("\n"));
}

/** Each line keeps what it is indented by, and leaves room for as much if asked to. */
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

/** A mistake in the call, as commander words it: the first line is what, the rest how to go on. */
export function complain(text: string): void {
  const [what, ...more] = text.trim().split("\n");
  tellAs("error", colors.red, [what, ...more.map((line) => HANGING + line)].join("\n"));
}

/** A user's mistake gets a sentence and a cure; a bug gets its stack, because somebody must mend it. */
export function explainError(error: unknown): void {
  if (error instanceof UserError) {
    tellAs("error", colors.red, error.message);
    if (error.hint !== undefined) tell(`${HANGING}${error.hint}`);
    return;
  }
  say(`${colors.red("error")} this is a bug in pairpty: ${messageOf(error)}`);
  if (error instanceof Error && error.stack !== undefined) say(colors.dim(error.stack));
}
