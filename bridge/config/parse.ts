// Owns parsing what people wrote (a file's text, variables, flags) into valid values, or into a
// list of all problems. Pure.

import type * as z from "zod/mini";
import { maskText } from "../secrets/mask.ts";
import { nearest } from "./nearest.ts";
import type { Problem } from "./problems.ts";
import { escaped, shownValue } from "./problems.ts";
import type { Setting } from "./schema.ts";
import { ConfigFile, SETTINGS, Values } from "./schema.ts";

export interface Said {
  readonly values: Values;
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
const KEY_NAMES = /^(relay_?)?(key|secret|token|password)$/i;

export function parseFile(source: string, text: string): Said {
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
      `not JSON: ${escaped(placed(why, text))}`,
      "Comments and trailing commas are not JSON.",
    );
  }
  return parseData(source, data);
}

/** Parses data that was already read from a file, or that a program passes instead of one. */
export function parseData(source: string, data: unknown): Said {
  const parsed = ConfigFile.safeParse(data);
  if (parsed.success) return { values: Values.parse(flat(data)), problems: [] };
  const problems = parsed.error.issues.flatMap((issue) => told(source, data, issue));
  // Two problems inside one value are reported as one.
  const isFirst = (one: Problem, index: number) =>
    problems.findIndex(({ key, what }) => key === one.key && what === one.what) === index;
  return { values: {}, problems: problems.filter(isFirst) };
}

/** Parses variables; an empty one counts as not set. */
export function parseEnvironment(environment: NodeJS.ProcessEnv): Said {
  const given = SETTINGS.flatMap((setting) => {
    const { variable } = setting;
    const text = variable === undefined ? "" : (environment[variable] ?? "");
    return variable === undefined || text === ""
      ? []
      : [{ setting, source: variable, value: fromText(setting, text) }];
  });
  return checked(given);
}

/** Parses flags as commander returns them: by name in camel case. */
export function parseFlags(flags: Readonly<Record<string, unknown>>): Said {
  const given = SETTINGS.flatMap((setting) => {
    const { flag } = setting;
    const value = flag === undefined ? undefined : flags[attributeOf(flag)];
    return flag === undefined || value === undefined ? [] : [{ setting, source: flag, value }];
  });
  return checked(given);
}

/** Returns unknown variables with the prefix `PAIRPTY_`, each with the nearest known name. */
export function unknownVariables(
  environment: NodeJS.ProcessEnv,
): { name: string; meant: string | undefined }[] {
  const known = [...SETTINGS.flatMap(({ variable }) => variable ?? []), ...OTHER_VARIABLES];
  return Object.keys(environment)
    .filter((name) => name.startsWith("PAIRPTY_") && !known.includes(name))
    .map((name) => ({ name: escaped(name), meant: nearest(name, known) }));
}

function checked(given: { setting: Setting; source: string; value: unknown }[]): Said {
  const problems: Problem[] = [];
  const fitting: [string, unknown][] = [];
  for (const { setting, source, value } of given) {
    if (setting.schema.safeParse(value).success) fitting.push([setting.key, value]);
    else problems.push({ source, key: undefined, ...misfit(setting, value, source) });
  }
  return { values: Values.parse(Object.fromEntries(fitting)), problems };
}

function told(source: string, data: unknown, issue: z.core.$ZodIssue): Problem[] {
  const path = issue.path.map(String);
  // A problem inside a setting's value is reported for the whole value.
  const setting = SETTINGS.find(({ key }) => `${path.join(".")}.`.startsWith(`${key}.`));
  if (setting !== undefined) {
    const value = at(data, setting.key.split("."));
    return [{ source, key: setting.key, ...misfit(setting, value, source) }];
  }
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((name) => unknownKey(source, [...path, name].join(".")));
  }
  const key = path.length === 0 ? undefined : escaped(path.join("."));
  const what = `${shownValue(at(data, path))} is not an object`;
  return [{ source, key, what, right: `Write { … } with ${namesUnder(path.join("."))} in it.` }];
}

function unknownKey(source: string, name: string): Problem {
  const key = escaped(name);
  if (KEY_NAMES.test(name)) {
    return {
      source,
      key,
      what: "a relay's key does not belong in a file",
      right: "Set PAIRPTY_RELAY_KEY in the environment, and take the key out of the file.",
    };
  }
  const keys = SETTINGS.map((setting) => setting.key);
  const meant = nearest(name, keys);
  const right =
    meant === undefined ? `The settings are ${keys.join(", ")}.` : `Did you mean "${meant}"?`;
  return { source, key, what: "unknown setting", right };
}

function misfit(
  { noun, right, form, detail }: Setting,
  value: unknown,
  source: string,
): Pick<Problem, "what" | "right"> {
  const fromEnvironment = source.startsWith("PAIRPTY_");
  const found = detail?.(value);
  const usual = fromEnvironment ? (IN_THE_ENVIRONMENT[form] ?? right) : right;
  return {
    what: `${maskText(shownValue(value))} is not ${noun}`,
    right: found === undefined ? usual : `${escaped(found)} ${usual}`,
  };
}

const IN_THE_ENVIRONMENT: Readonly<Record<string, string>> = {
  boolean: "Write 1, true or yes, or 0, false or no.",
  folders: 'Write paths with ":" between.',
  names: 'Write names of variables with "," between.',
};

/** Converts text to the setting's form; invalid text is kept, and the schema rejects it. */
function fromText({ form }: Setting, text: string): unknown {
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
function flat(data: unknown): Record<string, unknown> {
  const entries = SETTINGS.map(({ key }) => [key, at(data, key.split("."))] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function at(data: unknown, path: readonly string[]): unknown {
  let value: unknown = data;
  for (const name of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = Object.entries(value).find(([own]) => own === name)?.[1];
  }
  return value;
}

function namesUnder(path: string): string {
  const start = path === "" ? "" : `${path}.`;
  const names = SETTINGS.map(({ key }) => key).filter((key) => key.startsWith(start));
  return [...new Set(names.map((key) => key.slice(start.length).split(".")[0]))].join(", ");
}

/** Adds line and column to Node's error, which has only a character position. */
function placed(why: string, text: string): string {
  const position = /at position (\d+)/.exec(why)?.[1];
  if (position === undefined || why.includes("line ")) return why;
  const before = text.slice(0, Number(position)).split("\n");
  return `${why} (line ${before.length}, column ${(before.at(-1) ?? "").length + 1})`;
}

function attributeOf(flag: string): string {
  return flag.slice(2).replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
