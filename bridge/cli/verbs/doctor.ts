// Owns `pairpty doctor`: prints a row per check with its cure below it, and sets the exit code.

import { killChildren, runChecks } from "../../doctor/run-checks.ts";
import type { DoctorFlags } from "../../doctor/doctor-facts.ts";
import { gatherFacts } from "../../doctor/doctor-facts.ts";
import type { CheckResult, FindingStatus } from "../../doctor/finding.ts";
import { ExitCode } from "../../errors.ts";
import { listEnvironmentSecrets, createMask } from "../../logs/json-log.ts";
import { getCurrentFolder } from "../flags/current-folder.ts";
import { printJson, printLine, stdoutColors } from "../output/output.ts";
import { replaceCommands } from "../output/command-name.ts";
import { wrapText } from "../output/format-text.ts";

/** 128 + SIGINT and SIGTERM, as shells report them. */
const INTERRUPTED = 130;
const TERMINATED = 143;
const EXIT_DELAY_MS = 300;
const NAME_WIDTH = 15;
/** Badge, name, and the spaces between. */
const MARGIN = 6 + 1 + NAME_WIDTH + 1;

const BADGE: Readonly<Record<FindingStatus, string>> = {
  ok: stdoutColors.green("[ OK ]"),
  warn: stdoutColors.yellow("[WARN]"),
  fail: stdoutColors.red("[FAIL]"),
};

export async function doctor(flags: DoctorFlags): Promise<void> {
  // Runs on every exit: workerd outlives its parent.
  process.once("exit", killChildren);
  process.once("SIGINT", () => process.exit(INTERRUPTED));
  process.once("SIGTERM", () => process.exit(TERMINATED));
  const mask = createMask(listEnvironmentSecrets(process.env));
  const rows: CheckResult[] = [];
  for (const pending of runChecks(gatherFacts(flags, flags.cwd ?? getCurrentFolder()))) {
    const row = await pending;
    const cure = row.cure === undefined ? {} : { cure: replaceCommands(row.cure) };
    const printed = { ...row, message: replaceCommands(mask(row.message)), ...cure };
    rows.push(printed);
    if (flags.json !== true) printRow(printed);
  }
  const count = (status: FindingStatus) => rows.filter((row) => row.status === status).length;
  const [warnings, failures] = [count("warn"), count("fail")];
  if (flags.json === true) printJson({ ok: failures === 0, warnings, failures, checks: rows });
  else printLine(`\n${formatSummary(warnings, failures)}`);
  process.exitCode = failures === 0 ? ExitCode.ok : ExitCode.unavailable;
  // A check that hung may still hold a socket: do not wait for it.
  setTimeout(() => process.exit(), EXIT_DELAY_MS).unref();
}

function printRow({ check, status, message, cure }: CheckResult): void {
  const margin = " ".repeat(MARGIN);
  // Pipes get each row unwrapped.
  const width = process.stdout.isTTY ? process.stdout.columns - MARGIN : Number.POSITIVE_INFINITY;
  const [first = "", ...more] = wrapText(message, width);
  printLine(`${BADGE[status]} ${check.padEnd(NAME_WIDTH)} ${first}`);
  for (const line of more) printLine(margin + line);
  if (cure === undefined) return;
  for (const [index, line] of wrapText(cure, width - 2).entries()) {
    printLine(`${margin}${index === 0 ? stdoutColors.cyan("→") : " "} ${line}`);
  }
}

function formatSummary(warnings: number, failures: number): string {
  const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;
  if (failures > 0) return `${plural(failures, "failure")}, ${plural(warnings, "warning")}.`;
  return warnings === 0
    ? "No problems found."
    : `pairpty works here; ${plural(warnings, "warning")}.`;
}
