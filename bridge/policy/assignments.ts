// Owns judging one variable that a command is given: by the request, by a prefix, by `env` or `export`.

import { isPlainValue, type ValueKind, variableRule } from "./environment.ts";
import { decoded } from "./paths.ts";
import type { Run } from "./run.ts";

/** `HOST=0.0.0.0 npm run dev` */
const EVERY_ADDRESS = /^(?:0\.0\.0\.0|\[?::\]?)(?::\d+)?$/;

/** A name that decides what runs makes the command no longer safe; a value that is run is judged. */
export function judgeVariable(name: string, value: string, run: Run): void {
  if (run.own.relation(value) === "inside" || run.own.isOfProgram(value))
    run.ours("a path into pairpty's folders");
  // With it, `cd pairpty` leads elsewhere.
  if (name === "CDPATH") for (const folder of value.split(":")) run.own.enter(folder);
  const rule = variableRule(name);
  // `() { … }`: old shells take such a value for a function, and run what follows it.
  if (/^\(\)\s*\{/.test(value)) {
    run.note("dangerous", `${name} defines a shell function`);
    run.aside().shell(`f${value}`);
  }
  if (rule?.isOurs === true) run.ours(`${name} ${rule.why}`);
  else if (rule !== undefined) run.note(rule.verdict, `${name} ${rule.why}`);
  else if (!isPlainValue(value)) run.note("unknown", `${name} may name a file or a command`);
  if (EVERY_ADDRESS.test(value)) run.note("unknown", `${name} may open a server to the network`);
  if (rule?.value !== undefined && value !== "") judgeValue(rule.value, value, run.fed(false, []));
}

function judgeValue(kind: ValueKind, value: string, run: Run): void {
  const aside = run.aside();
  if (kind === "line") return aside.shell(value.replace(/^[!|]/, ""));
  if (kind === "code") return aside.code(value.replaceAll("!", " "));
  if (kind === "settings") return judgeSettings(value, run);
  aside.argv([kind.optionsOf, ...value.split(/\s+/).filter(Boolean)]);
  aside.code(decoded(value));
}

/** git's quoting: `'name=value' 'name'='value'`. */
function judgeSettings(value: string, run: Run): void {
  const plain = value.replaceAll(/'((?:[^']|'\\'')*)'/g, (_whole, text: string) => text);
  for (const setting of new Set([plain, ...plain.split(/\s+(?=[\w.-]+=)/)])) {
    const line = setting.slice(setting.indexOf("=") + 1).replace(/^!/, "");
    run.aside().shell(line);
  }
}

const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\+?=)([\s\S]*)$/;

/** As env takes it: any name at all, `BASH_FUNC_ls%%` too. */
export function givenIn(word: string): { name: string; value: string } | undefined {
  const [, name, value = ""] = /^([^=\s]+)=([\s\S]*)$/.exec(word) ?? [];
  return name === undefined ? undefined : { name, value };
}

/** `NAME=value` as an argument, for `env`, `export` and their like. */
export function assignmentIn(word: string): { name: string; value: string } | undefined {
  const match = ASSIGNMENT.exec(word);
  if (match === null) return undefined;
  return { name: match[1] ?? "", value: match[2] ?? "" };
}
