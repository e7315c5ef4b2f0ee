// Owns judging one variable that a command is given: by the request, by a prefix, by `env` or `export`.

import { variableRule } from "./environment.ts";
import type { Run } from "./run.ts";

/** A name that decides what runs makes the command no longer safe; a value that is run is judged. */
export function judgeVariable(name: string, value: string, run: Run): void {
  if (run.own.relation(value) === "inside") run.note("blocked", "a path into pairpty's folders");
  // With it, `cd pairpty` leads elsewhere.
  if (name === "CDPATH") for (const folder of value.split(":")) run.own.enter(folder);
  const rule = variableRule(name);
  if (rule === undefined) return;
  run.note(rule.verdict, `${name} ${rule.why}`);
  if (rule.runs && value !== "") run.shell(value.replace(/^!/, ""));
}

const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\+?=)([\s\S]*)$/;

/** `NAME=value` as an argument, for `env`, `export` and their like. */
export function assignmentIn(word: string): { name: string; value: string } | undefined {
  const match = ASSIGNMENT.exec(word);
  if (match === null) return undefined;
  return { name: match[1] ?? "", value: match[2] ?? "" };
}
