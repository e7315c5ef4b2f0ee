// Owns `pairpty config …`: shows the files, checks them, explains settings, and trusts a project's
// file. Needs and changes no running bridge.

import { basename, resolve } from "node:path";
import {
  listExplanations,
  toExplanationRows,
  formatExplanation,
} from "../../config/explain-settings.ts";
import {
  PROJECT_FILE,
  getSchemaFile,
  forgetTrust,
  canAskForTrust,
  trustFile,
  trustPath,
} from "../../config/config-files.ts";
import type { Configuration } from "../../config/load-configuration.ts";
import { loadConfiguration, loadNamedFile } from "../../config/load-configuration.ts";
import { listNeedingTrust } from "../../config/merge-layers.ts";
import { findNearestSetting } from "../../config/nearest-setting.ts";
import type { Problem } from "../../config/config-problems.ts";
import { escapeInvisible, toConfigError, formatProblem } from "../../config/config-problems.ts";
import { resolveSettings } from "../../config/resolve-settings.ts";
import { SETTINGS, findSetting } from "../../config/schema.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { locateFolders, ensureWorkspaceFolders } from "../../workspace/folders.ts";
import { getCurrentFolder } from "../flags/current-folder.ts";
import { colors, printJson, printLine, printNote, getWindowWidth } from "../output/output.ts";
import { formatTable } from "../output/table.ts";
import { wrapText } from "../output/format-text.ts";
import { confirmTrust, formatTrustRequest, warnUnknownVariables } from "../start/start-prompts.ts";

/** Fits most values. */
const VALUE_COLUMN = 24;

export interface ConfigFlags {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly config?: string;
}

export function showPaths(flags: ConfigFlags): void {
  const { user, project } = loadFor(flags);
  const { state } = locateFolders(flags.cwd ?? getCurrentFolder());
  const report = {
    user: { path: user.path, exists: user.exists },
    project: { path: project.path, exists: project.exists, trusted: project.trusted },
    trust: { path: trustPath(state) },
    schema: { path: getSchemaFile() },
  };
  if (flags.json === true) return printJson(report);
  const there = (exists: boolean) => (exists ? "" : "missing");
  const trusted = project.trusted ? "trusted" : formatTrust(project.values);
  return printLine(
    formatTable(undefined, [
      ["user file", escapeInvisible(user.path), there(user.exists)],
      ["project file", escapeInvisible(project.path), project.exists ? trusted : there(false)],
      ["schema", escapeInvisible(report.schema.path), "for editors: see docs/configuration.md"],
    ]),
  );
}

export function checkSettings(file: string | undefined, flags: ConfigFlags): void {
  const { problems, checked, untrusted } =
    file === undefined ? checkAll(flags) : checkFile(resolve(file));
  if (file === undefined && flags.json !== true) warnUnknownVariables(process.env);
  if (flags.json === true) {
    printJson({ ok: problems.length === 0, checked, untrusted, problems });
  } else if (problems.length === 0) {
    printLine(`ok: ${checked.map(escapeInvisible).join(", ")}`);
    if (untrusted.length > 0) printLine(`used only when trusted: ${untrusted.join(", ")}`);
  } else {
    for (const problem of problems) printProblem(problem);
  }
  if (problems.length > 0) process.exitCode = ExitCode.usage;
}

export function explainSettings(key: string | undefined, flags: ConfigFlags): void {
  if (key !== undefined && findSetting(key) === undefined) throw unknownSettingError(key);
  const configuration = loadFor(flags);
  if (configuration.problems.length > 0) throw toConfigError(configuration.problems);
  const all = listExplanations(configuration);
  const one = all.find((explanation) => explanation.key === key);
  if (flags.json === true) return printJson(one ?? all);
  warnUnknownVariables(process.env);
  if (one === undefined) {
    return printLine(formatSettings(toExplanationRows(all), getWindowWidth()));
  }
  const { head, rows } = formatExplanation(one);
  const about = wrapText(head, getWindowWidth() ?? Number.POSITIVE_INFINITY).join("\n");
  return printLine(`${one.key}\n${about}\n\n${formatTable(undefined, rows)}`);
}

/** Formats a table if it fits the window, else one line per setting. */
export function formatSettings(rows: string[][], width: number | undefined): string {
  const head = ["SETTING", "VALUE", "FROM", ""];
  if (width === undefined) return formatForPipe([head, ...rows]);
  const wide = formatTable(head, rows);
  if (wide.split("\n").every((line) => line.length <= width)) return wide;
  const lines = rows.flatMap(([key = "", value = "", from = "", note = ""]) => {
    const origin = [from === "default" ? "" : from, note].filter((word) => word !== "").join("; ");
    // Adds break points to a list in JSON.
    const text = escapeInvisible(
      `${value.replaceAll('","', '", "')}${origin === "" ? "" : ` (${origin})`}`,
    );
    if (key.length + 2 + text.length <= width) return [`${key}  ${text}`];
    return [key, ...wrapText(text, width - 4).map((line) => `    ${line}`)];
  });
  return [...lines, "", "Values without a source are the defaults."].join("\n");
}

/** Formats for pipes: nothing is wrapped, and one long value does not push all columns to the right. */
function formatForPipe(rows: string[][]): string {
  const all = rows.map((row) => row.map(escapeInvisible));
  const keys = Math.max(...all.map(([key = ""]) => key.length));
  return all
    .map(([key = "", value = "", ...more]) =>
      [key.padEnd(keys), value.padEnd(VALUE_COLUMN), ...more].join("  ").trimEnd(),
    )
    .join("\n");
}

export async function trustProject(
  flags: ConfigFlags & { readonly yes?: boolean; readonly forget?: boolean },
): Promise<void> {
  if (!canAskForTrust(process.env)) {
    throw new UserError(
      "you cannot trust a file from inside a pairpty terminal: guests and agents can type there",
      ExitCode.usage,
      "Run this in a terminal that is not shared.",
    );
  }
  const { state } = ensureWorkspaceFolders(flags.cwd ?? getCurrentFolder());
  const configuration = loadFor(flags);
  const { project } = configuration;
  const report = (trusted: boolean, words: string) =>
    flags.json === true
      ? printJson({ path: project.path, sha256: project.sha256 ?? null, trusted })
      : printNote(words);
  if (flags.forget === true) {
    forgetTrust(state);
    return report(false, `${escapeInvisible(project.path)} is no longer trusted`);
  }
  if (!project.exists) {
    throw new UserError(`${escapeInvisible(project.path)} does not exist`, ExitCode.usage);
  }
  if (project.problems.length > 0) throw toConfigError(project.problems);
  if (project.trusted) return report(true, `${escapeInvisible(project.path)} is already trusted`);
  if (project.sha256 === undefined || listNeedingTrust(project.values).length === 0) {
    return report(
      false,
      `${escapeInvisible(project.path)} needs no trust: it only tightens settings`,
    );
  }
  printNote(`\n${formatTrustRequest(configuration)}\n`);
  if (flags.yes !== true && !(await confirmTrust())) {
    throw new UserError("The file was not trusted.", ExitCode.usage);
  }
  trustFile(state, project.path, project.sha256, Date.now());
  return report(true, "Trusted until the file changes. The next `pairpty start` uses it.");
}

function loadFor({ cwd, config }: ConfigFlags): Configuration {
  const flags = config === undefined ? {} : { config };
  return loadConfiguration({ flags, environment: process.env, cwd: cwd ?? getCurrentFolder() });
}

interface CheckResult {
  readonly checked: readonly string[];
  /** Keys of an untrusted project file that need trust. */
  readonly untrusted: readonly string[];
  readonly problems: readonly Problem[];
}

function checkAll(flags: ConfigFlags): CheckResult {
  const configuration = loadFor(flags);
  const { user, project, problems } = configuration;
  const files = [user, project].filter(({ exists }) => exists).map((one) => one.path);
  const { problems: found } = resolveSettings(configuration, process.env, getCurrentFolder());
  return {
    checked: [...files, "environment"],
    untrusted: project.trusted ? [] : listKeysNeedingTrust(project.values),
    problems: [...problems, ...found],
  };
}

function checkFile(file: string): CheckResult {
  const { values, problems } = loadNamedFile(file);
  const untrusted = basename(file) === PROJECT_FILE ? listKeysNeedingTrust(values) : [];
  return { checked: [file], untrusted, problems };
}

function listKeysNeedingTrust(values: Configuration["project"]["values"]): string[] {
  return listNeedingTrust(values).map(({ setting }) => setting.key);
}

function formatTrust(values: Configuration["project"]["values"]): string {
  const keys = listKeysNeedingTrust(values);
  return keys.length === 0 ? "needs no trust" : `not trusted: ${keys.join(", ")} ignored`;
}

function printProblem(problem: Problem): void {
  printNote(`${colors.red("error")} ${formatProblem(problem)}`);
  if (problem.right !== undefined) printNote(`      ${problem.right}`);
}

function unknownSettingError(key: string): UserError {
  const keys = SETTINGS.map((setting) => setting.key);
  const meant = findNearestSetting(key, keys);
  return new UserError(
    `unknown setting "${escapeInvisible(key)}"`,
    ExitCode.usage,
    meant === undefined ? `The settings are ${keys.join(", ")}.` : `Did you mean "${meant}"?`,
  );
}
