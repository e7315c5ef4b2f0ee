// Owns judging one variable that a command gets: from the request, from a prefix, from `env` or
// `export`.

import { isPlainValue, type ValueKind, variableRule } from "./variable-rules.ts";
import { decodePercents } from "./path-text.ts";
import type { Run } from "./rule.ts";

/** `HOST=0.0.0.0 npm run dev` */
const EVERY_ADDRESS = /^(?:0\.0\.0\.0|\[?::\]?)(?::\d+)?$/;

/** Judges a variable: some names decide what runs, and some values are run themselves. */
export function judgeVariable(name: string, value: string, run: Run): void {
  if (run.own.findRelation(value) === "inside" || run.own.isInProgram(value))
    run.noteOwn("a path into pairpty's folders");
  // CDPATH makes `cd pairpty` lead to one of these folders.
  if (name === "CDPATH") for (const folder of value.split(":")) run.own.enter(folder);
  const rule = variableRule(name);
  // `() { … }`: old versions of bash define a function from such a value and run the text after it.
  if (/^\(\)\s*\{/.test(value)) {
    run.note("dangerous", `${name} defines a shell function`);
    run.asPossible().judgeShellText(`f${value}`);
  }
  if (rule?.isPairptys === true) run.noteOwn(`${name} ${rule.why}`);
  else if (rule !== undefined) run.note(rule.verdict, `${name} ${rule.why}`);
  else if (!isPlainValue(value)) run.note("unknown", `${name} may name a file or a command`);
  if (EVERY_ADDRESS.test(value)) run.note("unknown", `${name} may open a server to the network`);
  if (rule?.value !== undefined && value !== "")
    judgeValue(rule.value, value, run.withStdin(false, []));
}

function judgeValue(kind: ValueKind, value: string, run: Run): void {
  const aside = run.asPossible();
  if (kind === "line") return aside.judgeShellText(value.replace(/^[!|]/, ""));
  if (kind === "code") return aside.judgeCode(value.replaceAll("!", " "));
  if (kind === "settings") return judgeSettings(value, run);
  aside.judgeArgv([kind.optionsFor, ...value.split(/\s+/).filter(Boolean)]);
  aside.judgeCode(decodePercents(value));
}

/** Judges settings in git's quoting: `'name=value' 'name'='value'`. */
function judgeSettings(value: string, run: Run): void {
  const plain = value.replaceAll(/'((?:[^']|'\\'')*)'/g, (_whole, text: string) => text);
  for (const setting of new Set([plain, ...plain.split(/\s+(?=[\w.-]+=)/)])) {
    const line = setting.slice(setting.indexOf("=") + 1).replace(/^!/, "");
    run.asPossible().judgeShellText(line);
  }
}

const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\+?=)([\s\S]*)$/;

/** Parses `name=value` as env does: any name is allowed, such as `BASH_FUNC_ls%%`. */
export function parseEnvAssignment(word: string): { name: string; value: string } | undefined {
  const [, name, value = ""] = /^([^=\s]+)=([\s\S]*)$/.exec(word) ?? [];
  return name === undefined ? undefined : { name, value };
}

/** Parses an argument `NAME=value` of `env`, `export` and similar commands. */
export function parseAssignment(word: string): { name: string; value: string } | undefined {
  const match = ASSIGNMENT.exec(word);
  if (match === null) return undefined;
  return { name: match[1] ?? "", value: match[2] ?? "" };
}
