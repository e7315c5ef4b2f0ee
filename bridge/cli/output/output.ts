// Prints to the right stream: stdout carries results (links, tables, JSON), stderr everything else.
// Decides what the window supports (colours, keys, drawing) from the environment.

import pc from "picocolors";
import { UserError, errorMessage } from "../../errors.ts";
import { replaceCommands } from "./command-name.ts";
import { escapeUnsafe, wrapText } from "./format-text.ts";

export interface WindowEnvironment {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: { readonly isTTY?: boolean };
  readonly stdout: { readonly isTTY?: boolean };
  readonly stderr: { readonly isTTY?: boolean };
}

/** Returns the surroundings of this process. */
export function getWindowEnvironment(): WindowEnvironment {
  const { env: environment, stdin, stdout, stderr } = process;
  return { environment, stdin, stdout, stderr };
}

/** Whether to use colours: `NO_COLOR` wins over `FORCE_COLOR`, and both over detection. */
export function hasColors(
  environment: WindowEnvironment["environment"],
  { isTTY = false }: { readonly isTTY?: boolean },
): boolean {
  const { NO_COLOR, FORCE_COLOR } = environment;
  if (isSet(NO_COLOR)) return false;
  if (isSet(FORCE_COLOR)) return isTruthy(FORCE_COLOR);
  return isTTY && !isDumb(environment) && !isCi(environment);
}

/** Whether this runs in CI, where no one can answer, even with a terminal. */
export function isCi({ CI }: WindowEnvironment["environment"]): boolean {
  return isTruthy(CI);
}

/** Whether the terminal shows plain text only. */
export function isDumb({ TERM }: WindowEnvironment["environment"]): boolean {
  return TERM === "dumb";
}

/** Whether a person can be asked, and can answer. */
export function canAsk({ environment, stdin, stderr }: WindowEnvironment): boolean {
  return stdin.isTTY === true && stderr.isTTY === true && !isCi(environment);
}

/**
 * Whether single keys work: only if all three streams are a terminal, since another program may read a
 * pipe.
 */
export function canReadKeys(around: WindowEnvironment): boolean {
  const { environment, stdout } = around;
  return canAsk(around) && stdout.isTTY === true && !isDumb(environment);
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}

function isTruthy(value: string | undefined): boolean {
  return isSet(value) && value !== "0" && value.toLowerCase() !== "false";
}

/** Colours for stderr. */
const colors = pc.createColors(hasColors(process.env, process.stderr));
/** Colours for stdout: links, tables and log lines. */
const stdoutColors = pc.createColors(hasColors(process.env, process.stdout));
export { colors, stdoutColors };

// A reader may stop reading (`| head -1`), which must not end the bridge.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

/** As wide as "error ". */
const HANGING_INDENT = "      ";

/** Output queued while another program uses the window; undefined otherwise. */
let queued: { readonly stream: NodeJS.WriteStream; readonly text: string }[] | undefined;
/** The oldest output beyond this is dropped. */
const MAX_QUEUED = 500;

/** Queues output while another program uses the window. Returns a function that prints it. */
export function queueOutput(): () => void {
  queued = [];
  return () => {
    const waiting = queued ?? [];
    queued = undefined;
    for (const { stream, text } of waiting) stream.write(text);
  };
}

function write(stream: NodeJS.WriteStream, text: string): void {
  if (queued === undefined) return void stream.write(text);
  queued.push({ stream, text });
  if (queued.length > MAX_QUEUED) queued.shift();
  return undefined;
}

export function printLine(text: string): void {
  write(process.stdout, `${text}\n`);
}

export function printJson(value: object): void {
  printLine(escapeUnsafe(JSON.stringify(value)));
}

/** Returns the width of stdout's window; undefined for pipes. */
export function getWindowWidth(): number | undefined {
  const { columns, isTTY } = process.stdout;
  return isTTY && columns > 0 ? columns : undefined;
}

/** Prints to stderr; replaces commands by what to type here. */
export function printNote(text: string): void {
  write(process.stderr, `${replaceCommands(text)}\n`);
}

/** Prints sentences to stderr, wrapped to the window. */
export function printWrapped(text: string, paint: (line: string) => string = (line) => line): void {
  printNote(wrapToWindow(text).map(paint).join("\n"));
}

export function printWarning(text: string): void {
  printLabelled("warning", colors.yellow, text);
}

/** Prints labelled text; continuation lines align below it. */
function printLabelled(label: string, paint: (text: string) => string, text: string): void {
  const [first = "", ...more] = text.split("\n");
  const [head = "", ...rest] = wrapToWindow(`${label} ${first}`, HANGING_INDENT.length);
  printNote([head.replace(label, paint), ...rest.map((line) => HANGING_INDENT + line)].join("\n"));
  if (more.length > 0) printWrapped(more.join("\n"));
}

/** Wraps each line with its own indent; leaves at least `minFree` columns free. */
function wrapToWindow(text: string, minFree = 0): string[] {
  const { columns } = process.stderr;
  if (!(columns > 0)) return text.split("\n");
  return replaceCommands(text)
    .split("\n")
    .flatMap((line) => {
      if (line.length <= columns - minFree) return [line];
      const indent = /^ */.exec(line)?.[0] ?? "";
      const lines = wrapText(line, Math.max(1, columns - Math.max(indent.length, minFree)));
      return lines.map((part) => indent + part);
    });
}

/** Prints commander's error about wrong usage: the first line says what, the rest what to do. */
export function printUsageError(text: string): void {
  const [what, ...more] = text.trim().split("\n");
  printLabelled(
    "error",
    colors.red,
    [what, ...more.map((line) => HANGING_INDENT + line)].join("\n"),
  );
}

/** Prints a user error with its hint, or a bug with its stack. */
export function printError(error: unknown): void {
  if (error instanceof UserError) {
    printLabelled("error", colors.red, error.message);
    if (error.hint !== undefined) printWrapped(`${HANGING_INDENT}${error.hint}`);
    return;
  }
  printNote(`${colors.red("error")} this is a bug in pairpty: ${errorMessage(error)}`);
  if (error instanceof Error && error.stack !== undefined) printNote(colors.dim(error.stack));
}
