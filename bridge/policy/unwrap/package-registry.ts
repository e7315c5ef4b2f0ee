// Owns calls that change a registry, and packages whose name or first argument means something hard
// to undo. Tools that are known by name are in destructive-packages.ts.

import { formatCode } from "../call-text.ts";
import { isListedTool } from "../irreversible/judge-irreversible.ts";
import { isSafeName, takesNamesAsData } from "../program-names.ts";
import type { Run } from "../rule.ts";
import { isHardToUndo, isHardToUndoPackage } from "../destructive-verbs.ts";

/**
 * Sub-commands by which a package manager changes what others install, and the arguments with which
 * they do.
 */
const REGISTRY: Readonly<Record<string, RegExp>> = {
  publish: /^(?!.*--dry-run)/,
  unpublish: /^(?!.*--dry-run)/,
  deprecate: /^/,
  undeprecate: /^/,
  owner: /\b(?:add|rm|remove)\b/,
  author: /\b(?:add|rm|remove)\b/,
  access: /\b(?:public|restricted|grant|revoke|set)\b/,
  "dist-tag": /\b(?:add|set|rm|remove)\b/,
  "dist-tags": /\b(?:add|set|rm|remove)\b/,
  tag: /\b(?:add|set|rm|remove)\b/,
  token: /\b(?:create|revoke|delete|remove|rm)\b/,
};

export function judgeRegistry(verb: string, rest: readonly string[], run: Run): void {
  if (rest.includes("--help")) return;
  if (Object.hasOwn(REGISTRY, verb) && REGISTRY[verb]?.test(rest.join(" ")))
    run.note("dangerous", `${run.callText(1)} changes what others install`);
}

/** Judges a package by its name, or by its first argument: `npx x deploy`. Names of tests are ignored. */
export function judgePackage(name: string, rest: readonly string[], run: Run): void {
  if (/^(?:@[^/]+\/)?create-/.test(name)) return;
  if (isHardToUndoPackage(name))
    run.note("dangerous", `${formatCode(name)} is hard to undo, judging by its name`);
  if (takesNamesAsData(name) || isSafeName(name) || TAKES_FILES.test(name) || isListedTool(name))
    return;
  const [verb = "", what = ""] = rest[0] === "run" ? rest.slice(1) : rest;
  if (/^[\w:-]+$/.test(verb) && isHardToUndo(verb) && !READ_ONLY_WORDS.test(what))
    run.note("dangerous", `${formatCode(`${name} ${verb}`)} is hard to undo, judging by its name`);
}

/** Checkers and runners, whose operands are names of tests, scripts and files. */
const TAKES_FILES =
  /^(?:@playwright\/test|playwright|cypress|eslint|prettier|biome|tsx|ts-node|zx|degit|serve)$/;
const READ_ONLY_WORDS = /^(?:status|list|ls|show|diff|help|--help|-h|--dry-run|-n)$/;
