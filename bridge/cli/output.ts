// Owns who gets which stream: stdout carries only URLs or JSON; everything for people is on stderr.

import pc from "picocolors";
import { UserError, messageOf } from "../errors.ts";

const colors = pc.createColors(pc.isColorSupported && process.stderr.isTTY);
export { colors };

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
