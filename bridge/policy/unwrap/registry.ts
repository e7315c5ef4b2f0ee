// Owns what changes a registry, and packages that say by their name, or by what they are told, that
// nobody takes back what they do. Tools that are known by name are in tools.ts.

import { formatCode } from "../call-text.ts";
import { isListedTool } from "../irreversible/judge.ts";
import { isSafeName, takesNamesAsData } from "../names.ts";
import type { Run } from "../run.ts";
import { isHardToUndo, isHardToUndoPackage } from "../undoing.ts";

/** Verbs by which a package manager changes what others install, and those of their words that do. */
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

/** By its name, or by the first word that it is told: `npx x deploy`. A test's name is no such word. */
export function judgePackage(name: string, rest: readonly string[], run: Run): void {
  if (/^(?:@[^/]+\/)?create-/.test(name)) return;
  if (isHardToUndoPackage(name))
    run.note("dangerous", `${formatCode(name)} is hard to undo, judging by its name`);
  if (takesNamesAsData(name) || isSafeName(name) || TAKES_FILES.test(name) || isListedTool(name))
    return;
  const [verb = "", what = ""] = rest[0] === "run" ? rest.slice(1) : rest;
  if (/^[\w:-]+$/.test(verb) && isHardToUndo(verb) && !ONLY_ASKS.test(what))
    run.note("dangerous", `${formatCode(`${name} ${verb}`)} is hard to undo, judging by its name`);
}

/** Checkers and runners, whose operands are names of tests, scripts and files. */
const TAKES_FILES =
  /^(?:@playwright\/test|playwright|cypress|eslint|prettier|biome|tsx|ts-node|zx|degit|serve)$/;
const ONLY_ASKS = /^(?:status|list|ls|show|diff|help|--help|-h|--dry-run|-n)$/;
