// Owns who gets which stream: stdout carries what was asked for (links, tables, JSON), stderr the rest.

import pc from "picocolors";
import { UserError, messageOf } from "../errors.ts";
import { hasColors } from "./surface.ts";

/** For stderr. */
const colors = pc.createColors(hasColors(process.env, process.stderr));
/** For links, which go to stdout. */
const linkColors = pc.createColors(hasColors(process.env, process.stdout));
export { colors, linkColors };

// Whoever reads may stop reading (`| head -1`); that ends the printing, not the bridge.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

export function printLine(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: object): void {
  printLine(JSON.stringify(value));
}

export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function warn(text: string): void {
  say(`${colors.yellow("warning")} ${text}`);
}

/** A mistake in the call, as commander words it: the first line is what, the rest how to go on. */
export function complain(text: string): void {
  const [what, ...more] = text.trim().split("\n");
  say([`${colors.red("error")} ${what}`, ...more.map((line) => `      ${line}`)].join("\n"));
}

/** A user's mistake gets a sentence and a cure; a bug gets its stack, because somebody must mend it. */
export function explainError(error: unknown): void {
  if (error instanceof UserError) {
    say(`${colors.red("error")} ${error.message}`);
    if (error.hint !== undefined) say(`      ${error.hint}`);
    return;
  }
  say(
    `${colors.red("error")} this is a fault in pairpty, not in what you did: ${messageOf(error)}`,
  );
  if (error instanceof Error && error.stack !== undefined) say(colors.dim(error.stack));
}
