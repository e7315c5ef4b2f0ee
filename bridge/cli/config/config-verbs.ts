// Owns `pairpty config …`: shows the files, checks them, explains settings, and trusts a project's
// file. Needs and changes no running bridge.

import { basename, resolve } from "node:path";
import { explain, explanationRows, explanationText } from "../../config/explain.ts";
import { PROJECT_FILE, schemaFile } from "../../config/files.ts";
import type { Configuration } from "../../config/load.ts";
import { loadConfiguration, loadNamed } from "../../config/load.ts";
import { wanting } from "../../config/layers.ts";
import { nearest } from "../../config/nearest.ts";
import type { Problem } from "../../config/problems.ts";
import { escaped, problemsError, sentenceOf } from "../../config/problems.ts";
import { resolveSettings } from "../../config/resolve.ts";
import { SETTINGS, settingOf } from "../../config/schema.ts";
import { forgetTrust, mayBeAskedHere, trust, trustPath } from "../../config/trust.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { locateFolders, workspaceFolders } from "../../workspace/folders.ts";
import { currentFolder } from "../flags/current-folder.ts";
import { colors, printJson, printLine, say, windowWidth } from "../output/output.ts";
import { table } from "../output/table.ts";
import { wrap } from "../output/wrap.ts";
import { confirmTrust, request, warnOfVariables } from "./trust-prompt.ts";

/** Fits most values. */
const VALUE_COLUMN = 24;

export interface ConfigFlags {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly config?: string;
}

export function path(flags: ConfigFlags): void {
  const { user, project } = load(flags);
  const { state } = locateFolders(flags.cwd ?? currentFolder());
  const told = {
    user: { path: user.path, exists: user.exists },
    project: { path: project.path, exists: project.exists, trusted: project.trusted },
    trust: { path: trustPath(state) },
    schema: { path: schemaFile() },
  };
  if (flags.json === true) return printJson(told);
  const there = (exists: boolean) => (exists ? "" : "missing");
  const trusted = project.trusted ? "trusted" : needsTrust(project.values);
  return printLine(
    table(undefined, [
      ["user file", escaped(user.path), there(user.exists)],
      ["project file", escaped(project.path), project.exists ? trusted : there(false)],
      ["schema", escaped(told.schema.path), "for editors: see docs/configuration.md"],
    ]),
  );
}

export function check(file: string | undefined, flags: ConfigFlags): void {
  const { problems, checked, untrusted } =
    file === undefined ? checkAll(flags) : checkOne(resolve(file));
  if (file === undefined && flags.json !== true) warnOfVariables(process.env);
  if (flags.json === true) {
    printJson({ ok: problems.length === 0, checked, untrusted, problems });
  } else if (problems.length === 0) {
    printLine(`ok: ${checked.map(escaped).join(", ")}`);
    if (untrusted.length > 0) printLine(`used only when trusted: ${untrusted.join(", ")}`);
  } else {
    for (const problem of problems) sayProblem(problem);
  }
  if (problems.length > 0) process.exitCode = ExitCode.usage;
}

export function explainSettings(key: string | undefined, flags: ConfigFlags): void {
  if (key !== undefined && settingOf(key) === undefined) throw unknownSetting(key);
  const configuration = load(flags);
  if (configuration.problems.length > 0) throw problemsError(configuration.problems);
  const all = explain(configuration);
  const one = all.find((explanation) => explanation.key === key);
  if (flags.json === true) return printJson(one ?? all);
  warnOfVariables(process.env);
  if (one === undefined) {
    return printLine(settingsText(explanationRows(all), windowWidth()));
  }
  const { head, rows } = explanationText(one);
  const about = wrap(head, windowWidth() ?? Number.POSITIVE_INFINITY).join("\n");
  return printLine(`${one.key}\n${about}\n\n${table(undefined, rows)}`);
}

/** Formats a table if it fits the window, else one line per setting. */
export function settingsText(rows: string[][], width: number | undefined): string {
  const head = ["SETTING", "VALUE", "FROM", ""];
  if (width === undefined) return wholeText([head, ...rows]);
  const wide = table(head, rows);
  if (wide.split("\n").every((line) => line.length <= width)) return wide;
  const lines = rows.flatMap(([key = "", value = "", from = "", note = ""]) => {
    const origin = [from === "default" ? "" : from, note].filter((word) => word !== "").join("; ");
    // Adds break points to a list in JSON.
    const text = escaped(
      `${value.replaceAll('","', '", "')}${origin === "" ? "" : ` (${origin})`}`,
    );
    if (key.length + 2 + text.length <= width) return [`${key}  ${text}`];
    return [key, ...wrap(text, width - 4).map((line) => `    ${line}`)];
  });
  return [...lines, "", "Values without a source are the defaults."].join("\n");
}

/** Formats for pipes: nothing is wrapped, and one long value does not push all columns to the right. */
function wholeText(rows: string[][]): string {
  const all = rows.map((row) => row.map(escaped));
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
  if (!mayBeAskedHere(process.env)) {
    throw new UserError(
      "you cannot trust a file from inside a pairpty terminal: guests and agents can type there",
      ExitCode.usage,
      "Run this in a terminal that is not shared.",
    );
  }
  const { state } = workspaceFolders(flags.cwd ?? currentFolder());
  const configuration = load(flags);
  const { project } = configuration;
  const told = (trusted: boolean, words: string) =>
    flags.json === true
      ? printJson({ path: project.path, sha256: project.sha256 ?? null, trusted })
      : say(words);
  if (flags.forget === true) {
    forgetTrust(state);
    return told(false, `${escaped(project.path)} is no longer trusted`);
  }
  if (!project.exists) {
    throw new UserError(`${escaped(project.path)} does not exist`, ExitCode.usage);
  }
  if (project.problems.length > 0) throw problemsError(project.problems);
  if (project.trusted) return told(true, `${escaped(project.path)} is already trusted`);
  if (project.sha256 === undefined || wanting(project.values).length === 0) {
    return told(false, `${escaped(project.path)} needs no trust: it only tightens settings`);
  }
  say(`\n${request(configuration)}\n`);
  if (flags.yes !== true && !(await confirmTrust())) {
    throw new UserError("The file was not trusted.", ExitCode.usage);
  }
  trust(state, project.path, project.sha256, Date.now());
  return told(true, "Trusted until the file changes. The next `pairpty start` uses it.");
}

function load({ cwd, config }: ConfigFlags): Configuration {
  const flags = config === undefined ? {} : { config };
  return loadConfiguration({ flags, environment: process.env, cwd: cwd ?? currentFolder() });
}

interface Checked {
  readonly checked: readonly string[];
  /** Keys of an untrusted project file that need trust. */
  readonly untrusted: readonly string[];
  readonly problems: readonly Problem[];
}

function checkAll(flags: ConfigFlags): Checked {
  const configuration = load(flags);
  const { user, project, problems } = configuration;
  const files = [user, project].filter(({ exists }) => exists).map((one) => one.path);
  const { problems: found } = resolveSettings(configuration, process.env, currentFolder());
  return {
    checked: [...files, "environment"],
    untrusted: project.trusted ? [] : keysWanting(project.values),
    problems: [...problems, ...found],
  };
}

function checkOne(file: string): Checked {
  const { values, problems } = loadNamed(file);
  const untrusted = basename(file) === PROJECT_FILE ? keysWanting(values) : [];
  return { checked: [file], untrusted, problems };
}

function keysWanting(values: Configuration["project"]["values"]): string[] {
  return wanting(values).map(({ setting }) => setting.key);
}

function needsTrust(values: Configuration["project"]["values"]): string {
  const keys = keysWanting(values);
  return keys.length === 0 ? "needs no trust" : `not trusted: ${keys.join(", ")} ignored`;
}

function sayProblem(problem: Problem): void {
  say(`${colors.red("error")} ${sentenceOf(problem)}`);
  if (problem.right !== undefined) say(`      ${problem.right}`);
}

function unknownSetting(key: string): UserError {
  const keys = SETTINGS.map((setting) => setting.key);
  const meant = nearest(key, keys);
  return new UserError(
    `unknown setting "${escaped(key)}"`,
    ExitCode.usage,
    meant === undefined ? `The settings are ${keys.join(", ")}.` : `Did you mean "${meant}"?`,
  );
}
