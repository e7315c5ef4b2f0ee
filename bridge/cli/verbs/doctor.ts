// Owns `pairpty doctor`: prints a row per check with its cure below it, and sets the exit code.

import { endChildren, examine } from "../../doctor/examine.ts";
import type { DoctorFlags } from "../../doctor/facts.ts";
import { gatherFacts } from "../../doctor/facts.ts";
import type { Row, Status } from "../../doctor/finding.ts";
import { ExitCode } from "../../errors.ts";
import { environmentSecrets, masking } from "../../logs/secrets.ts";
import { currentFolder } from "../flags/current-folder.ts";
import { printJson, printLine, stdoutColors } from "../output/output.ts";
import { asTyped } from "../output/command-name.ts";
import { wrap } from "../output/wrap.ts";

/** 128 + SIGINT and SIGTERM, as shells report them. */
const INTERRUPTED = 130;
const TERMINATED = 143;
const LINGER_MS = 300;
const NAME_WIDTH = 15;
/** Badge, name, and the spaces between. */
const MARGIN = 6 + 1 + NAME_WIDTH + 1;

const BADGE: Readonly<Record<Status, string>> = {
  ok: stdoutColors.green("[ OK ]"),
  warn: stdoutColors.yellow("[WARN]"),
  fail: stdoutColors.red("[FAIL]"),
};

export async function doctor(flags: DoctorFlags): Promise<void> {
  // On every exit: a workerd outlives its parent.
  process.once("exit", endChildren);
  process.once("SIGINT", () => process.exit(INTERRUPTED));
  process.once("SIGTERM", () => process.exit(TERMINATED));
  const mask = masking(environmentSecrets(process.env));
  const rows: Row[] = [];
  for (const coming of examine(gatherFacts(flags, flags.cwd ?? currentFolder()))) {
    const row = await coming;
    const cure = row.cure === undefined ? {} : { cure: asTyped(row.cure) };
    const shown = { ...row, message: asTyped(mask(row.message)), ...cure };
    rows.push(shown);
    if (flags.json !== true) printRow(shown);
  }
  const count = (status: Status) => rows.filter((row) => row.status === status).length;
  const [warnings, failures] = [count("warn"), count("fail")];
  if (flags.json === true) printJson({ ok: failures === 0, warnings, failures, checks: rows });
  else printLine(`\n${summary(warnings, failures)}`);
  process.exitCode = failures === 0 ? ExitCode.ok : ExitCode.unavailable;
  // A check that hung may still hold a socket: do not wait for it.
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

function printRow({ check, status, message, cure }: Row): void {
  const margin = " ".repeat(MARGIN);
  // Pipes get each row unwrapped.
  const width = process.stdout.isTTY ? process.stdout.columns - MARGIN : Number.POSITIVE_INFINITY;
  const [first = "", ...more] = wrap(message, width);
  printLine(`${BADGE[status]} ${check.padEnd(NAME_WIDTH)} ${first}`);
  for (const line of more) printLine(margin + line);
  if (cure === undefined) return;
  for (const [index, line] of wrap(cure, width - 2).entries()) {
    printLine(`${margin}${index === 0 ? stdoutColors.cyan("→") : " "} ${line}`);
  }
}

function summary(warnings: number, failures: number): string {
  const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;
  if (failures > 0) return `${plural(failures, "failure")}, ${plural(warnings, "warning")}.`;
  return warnings === 0
    ? "No problems found."
    : `pairpty works here; ${plural(warnings, "warning")}.`;
}
