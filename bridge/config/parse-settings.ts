// Owns parsing what people wrote (a file's text, variables, flags) into valid values, or into a
// list of all problems. Pure.

import type * as z from "zod/mini";
import { maskText } from "../secrets/mask.ts";
import { findNearestSetting } from "./nearest-setting.ts";
import type { Problem } from "./config-problems.ts";
import { escapeInvisible, formatValue } from "./config-problems.ts";
import type { Setting } from "./setting-shapes.ts";
import { ConfigFile, SETTINGS } from "./schema.ts";
import { SettingValues } from "./setting-shapes.ts";

export interface ParsedLayer {
  readonly values: SettingValues;
  readonly problems: readonly Problem[];
}

/** pairpty's variables that are not settings. */
export const OTHER_VARIABLES: readonly string[] = [
  "PAIRPTY_CONFIG",
  "PAIRPTY_RELAY_KEY",
  "PAIRPTY_TERMINAL",
  "PAIRPTY_REQUIRE",
];

/** Keys that people might use for the relay's key. */
const RELAY_KEY_NAMES = /^(relay_?)?(key|secret|token|password)$/i;

export function parseFile(source: string, text: string): ParsedLayer {
  const problem = (what: string, right: string) => ({
    values: {},
    problems: [{ source, key: undefined, what, right }],
  });
  let data: unknown;
  try {
    data = JSON.parse(text.replace(/^\u{feff}/u, ""));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return problem(
      `not JSON: ${escapeInvisible(withLinePosition(why, text))}`,
      "Comments and trailing commas are not JSON.",
    );
  }
  return parseData(source, data);
}

/** Parses data that was already read from a file, or that a program passes instead of one. */
export function parseData(source: string, data: unknown): ParsedLayer {
  const parsed = ConfigFile.safeParse(data);
  if (parsed.success) return { values: SettingValues.parse(flattenKeys(data)), problems: [] };
  const problems = parsed.error.issues.flatMap((issue) => toProblems(source, data, issue));
  // Two problems inside one value are reported as one.
  const isFirst = (one: Problem, index: number) =>
    problems.findIndex(({ key, what }) => key === one.key && what === one.what) === index;
  return { values: {}, problems: problems.filter(isFirst) };
}

/** Parses variables; an empty one counts as not set. */
export function parseEnvironment(environment: NodeJS.ProcessEnv): ParsedLayer {
  const given = SETTINGS.flatMap((setting) => {
    const { variable } = setting;
    const text = variable === undefined ? "" : (environment[variable] ?? "");
    return variable === undefined || text === ""
      ? []
      : [{ setting, source: variable, value: convertText(setting, text) }];
  });
  return validateGiven(given);
}

/** Parses flags as commander returns them: by name in camel case. */
export function parseFlags(flags: Readonly<Record<string, unknown>>): ParsedLayer {
  const given = SETTINGS.flatMap((setting) => {
    const { flag } = setting;
    const value = flag === undefined ? undefined : flags[toAttribute(flag)];
    return flag === undefined || value === undefined ? [] : [{ setting, source: flag, value }];
  });
  return validateGiven(given);
}

/** Returns unknown variables with the prefix `PAIRPTY_`, each with the nearest known name. */
export function findUnknownVariables(
  environment: NodeJS.ProcessEnv,
): { name: string; meant: string | undefined }[] {
  const known = [...SETTINGS.flatMap(({ variable }) => variable ?? []), ...OTHER_VARIABLES];
  return Object.keys(environment)
    .filter((name) => name.startsWith("PAIRPTY_") && !known.includes(name))
    .map((name) => ({ name: escapeInvisible(name), meant: findNearestSetting(name, known) }));
}

function validateGiven(given: { setting: Setting; source: string; value: unknown }[]): ParsedLayer {
  const problems: Problem[] = [];
  const fitting: [string, unknown][] = [];
  for (const { setting, source, value } of given) {
    if (setting.schema.safeParse(value).success) fitting.push([setting.key, value]);
    else problems.push({ source, key: undefined, ...describeMismatch(setting, value, source) });
  }
  return { values: SettingValues.parse(Object.fromEntries(fitting)), problems };
}

function toProblems(source: string, data: unknown, issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.map(String);
  // A problem inside a setting's value is reported for the whole value.
  const setting = SETTINGS.find(({ key }) => `${path.join(".")}.`.startsWith(`${key}.`));
  if (setting !== undefined) {
    const value = getPath(data, setting.key.split("."));
    return [{ source, key: setting.key, ...describeMismatch(setting, value, source) }];
  }
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((name) => toUnknownKeyProblem(source, [...path, name].join(".")));
  }
  const key = path.length === 0 ? undefined : escapeInvisible(path.join("."));
  const what = `${formatValue(getPath(data, path))} is not an object`;
  return [{ source, key, what, right: `Write { … } with ${listKeysUnder(path.join("."))} in it.` }];
}

function toUnknownKeyProblem(source: string, name: string): Problem {
  const key = escapeInvisible(name);
  if (RELAY_KEY_NAMES.test(name)) {
    return {
      source,
      key,
      what: "a relay's key does not belong in a file",
      right: "Set PAIRPTY_RELAY_KEY in the environment, and take the key out of the file.",
    };
  }
  const keys = SETTINGS.map((setting) => setting.key);
  const meant = findNearestSetting(name, keys);
  const right =
    meant === undefined ? `The settings are ${keys.join(", ")}.` : `Did you mean "${meant}"?`;
  return { source, key, what: "unknown setting", right };
}

function describeMismatch(
  { noun, right, form, detail }: Setting,
  value: unknown,
  source: string,
): Pick<Problem, "what" | "right"> {
  const fromEnvironment = source.startsWith("PAIRPTY_");
  const found = detail?.(value);
  const usual = fromEnvironment ? (ENVIRONMENT_HINTS[form] ?? right) : right;
  return {
    what: `${maskText(formatValue(value))} is not ${noun}`,
    right: found === undefined ? usual : `${escapeInvisible(found)} ${usual}`,
  };
}

const ENVIRONMENT_HINTS: Readonly<Record<string, string>> = {
  boolean: "Write 1, true or yes, or 0, false or no.",
  folders: 'Write paths with ":" between.',
  names: 'Write names of variables with "," between.',
};

/** Converts text to the setting's form; invalid text is kept, and the schema rejects it. */
function convertText({ form }: Setting, text: string): unknown {
  switch (form) {
    case "number":
      return /^\d{1,9}$/.test(text) ? Number(text) : text;
    case "boolean":
      if (/^(1|true|yes)$/i.test(text)) return true;
      return /^(0|false|no)$/i.test(text) ? false : text;
    case "folders":
      return text.split(":").filter((folder) => folder !== "");
    case "names":
      return text.split(",").map((name) => name.trim());
    default:
      return text;
  }
}

/** Flattens `{agents: {idle}}` to `{"agents.idle"}`, without `$schema`. */
function flattenKeys(data: unknown): Record<string, unknown> {
  const entries = SETTINGS.map(({ key }) => [key, getPath(data, key.split("."))] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function getPath(data: unknown, path: readonly string[]): unknown {
  let value: unknown = data;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = Object.entries(value).find(([own]) => own === name)?.[1];
  }
  return value;
}

function listKeysUnder(path: string): string {
  const start = path === "" ? "" : `${path}.`;
  const names = SETTINGS.map(({ key }) => key).filter((key) => key.startsWith(start));
  return [...new Set(names.map((key) => key.slice(start.length).split(".")[0]))].join(", ");
}

/** Adds line and column to Node's error, which has only a character position. */
function withLinePosition(why: string, text: string): string {
  const position = /at position (\d+)/.exec(why)?.[1];
  if (position === undefined || why.includes("line ")) return why;
  const before = text.slice(0, Number(position)).split("\n");
  return `${why} (line ${before.length}, column ${(before.at(-1) ?? "").length + 1})`;
}

function toAttribute(flag: string): string {
  return flag.slice(2).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
