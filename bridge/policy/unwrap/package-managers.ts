// Owns npm, npx, yarn, bun and similar programs where they run a program or text from their
// arguments. Their harmless calls are in harmless/package-manager-calls.ts; this looks for anything
// worse than unknown.

import { findBlockedReason } from "../program-names.ts";
import { isOwnPackage, isOwnProgram } from "../own-folders.ts";
import { registerRule, type Rule, type Run } from "../rule.ts";
import { type OptionShape, type Options, readOptions, valuesFor } from "./getopt.ts";
import { judgePackage, judgeRegistry } from "./package-registry.ts";
import { judgeStdin } from "./shell-programs.ts";

/** Settings whose value is a program. */
const PROGRAMS = ["script-shell", "node-options", "shell", "git", "editor", "viewer", "browser"];

const NPM: OptionShape = {
  values: "wCc",
  flags: "*",
  long: [
    "prefix",
    "workspace",
    "loglevel",
    "call",
    "package",
    "tag",
    "omit",
    "include",
    "userconfig",
    "globalconfig",
    "init-module",
    "registry",
    ...PROGRAMS,
  ],
  longFlags: [
    "global",
    "ignore-scripts",
    "workspaces",
    "silent",
    "yes",
    "save-dev",
    "legacy-peer-deps",
    "production",
    "version",
  ],
  mixesOperands: true,
};
/** npx reads its own options only up to the name of the package. */
const NPX: OptionShape = {
  ...NPM,
  values: "wpc",
  longFlags: [...(NPM.longFlags ?? []), "no", "no-install", "quiet", "bun", "verbose", "offline"],
  mixesOperands: false,
};

function judgeSettings(options: Options, run: Run): void {
  for (const value of valuesFor(options, ...PROGRAMS)) run.asPossible().judgeShellText(value);
}

const npm: Rule = (args, run) => {
  const cut = args.indexOf("--");
  const options = readOptions(cut < 0 ? args : args.slice(0, cut), NPM);
  judgeSettings(options, run);
  const behind = cut < 0 ? [] : args.slice(cut + 1);
  const [verb, ...rest] = options.operands;
  if (verb === undefined) return;
  if (verb === "exec" || verb === "x") return npx(afterVerb(args, verb), run, "npx");
  // Without a script of that name, `env` is the program, and the rest is its command.
  if (/^(?:run|run-script|rum|urn)$/.test(verb) && rest[0] === "env")
    return run.asPossible().judgeArgv(["env", ...rest.slice(1), ...behind]);
  if (verb === "explore") return run.asPossible().judgeShellText(behind.join(" "));
  if (INSTALL.test(verb)) return judgeInstalledPackages([...rest, ...behind], run);
  judgeRegistry(verb, [...rest, ...behind, ...args.filter((word) => word.startsWith("-"))], run);
  if (SETS.test(verb))
    for (const word of rest) run.asPossible().judgeShellText(word.slice(word.indexOf("=") + 1));
};

/** `install` with npm's aliases and accepted misspellings. */
const INSTALL =
  /^(?:i|in|ins|inst|insta|instal|install|isnt|isnta|isntal|isntall|add|it|install-test|link|ln)$/;
const SETS = /^(?:config|c|set|pkg|init|create|innit)$/;

function judgeInstalledPackages(names: readonly string[], run: Run): void {
  if (names.some(isOwnPackage)) run.noteOwn("runs or changes pairpty itself");
}

/** Judges pnpm's changes of a registry; swept-programs.ts has the rule for what it runs. */
const pnpm: Rule = (args, run) => {
  const { operands } = readOptions(args, {
    values: "CF",
    long: ["dir", "filter"],
    flags: "*",
    mixesOperands: true,
  });
  const [verb = ""] = operands;
  judgeRegistry(verb, args, run);
};

const npx: Rule = (args, run) => {
  const options = readOptions(args, NPX);
  if (options.hasUnknown) run.judgeEveryStart(args);
  judgeSettings(options, run);
  for (const text of valuesFor(options, "c", "call")) run.judgeShellText(text);
  const [target, ...rest] = options.operands;
  if (target === undefined) return;
  if (isOwnProgram(target)) run.noteOwn("runs or changes pairpty itself");
  // A single word with blanks is a shell line.
  if (/\s/.test(target)) return run.asPossible().judgeShellText([target, ...rest].join(" "));
  const name = target.replace(/(?<=.)@[^/]*$/, "");
  judgePackage(name, rest, run);
  run.asPossible().judgeArgv([PROGRAM_BY_PACKAGE[name] ?? name, ...rest]);
};

/** Packages whose program has a different name. */
const PROGRAM_BY_PACKAGE: Readonly<Record<string, string>> = { "@changesets/cli": "changeset" };

/** Returns the words after a sub-command, with the options in their place. */
function afterVerb(args: readonly string[], verb: string): readonly string[] {
  const at = args.indexOf(verb);
  return [
    ...args.slice(0, at).filter((word) => word.startsWith("--")),
    ...args.slice(at + 1),
  ].filter((word, index, all) => word !== "--" || index !== all.indexOf("--"));
}

const yarn: Rule = (args, run) => {
  const options = readOptions(args, {
    long: ["cwd", "registry", "use-yarnrc"],
    longFlags: ["silent"],
    flags: "*",
  });
  const [verb, ...rest] = options.operands;
  if (verb === undefined) return;
  if (verb === "dlx" || verb === "exec") return npx(rest, run, "npx");
  if (verb === "node") return run.judgeArgv(["node", ...rest]);
  // `workspace a exec …`, `workspaces foreach -A run …`
  if (verb === "workspace") return run.judgeArgv(["yarn", ...rest.slice(1)]);
  if (verb === "workspaces") {
    const from = rest.findIndex((word) => /^(?:run|exec|npm)$/.test(word));
    return from < 0 ? undefined : run.judgeArgv(["yarn", ...rest.slice(from)]);
  }
  if (/^(?:add|global|link)$/.test(verb)) judgeInstalledPackages(rest, run);
  const [registry = "", ...packageArgs] = verb === "npm" ? rest : [verb, ...rest];
  judgeRegistry(registry, packageArgs, run);
  // A script, or a program that a package brought: never one of the system.
  const [name = "", ...own] = verb === "run" ? rest : [verb, ...rest];
  if (isOwnProgram(name)) run.noteOwn("runs or changes pairpty itself");
  if (findBlockedReason(name) === undefined) run.asPossible().judgeArgv([name, ...own]);
};

const BUN: OptionShape = {
  values: "erpcF",
  flags: "*",
  long: ["eval", "print", "preload", "cwd", "config", "shell", "filter"],
  longFlags: ["watch", "hot", "version", "help", "silent", "bun"],
};
const BUN_VERBS =
  /^(?:test|install|i|add|a|remove|rm|update|outdated|link|unlink|pm|build|init|create|c|upgrade|publish|patch|audit|why|info|repl)$/;

const bun: Rule = (args, run) => {
  const options = readOptions(args, BUN);
  for (const text of valuesFor(options, "e", "eval", "p", "print")) run.judgeCode(text);
  const [verb, ...rest] = options.operands;
  if (verb === undefined) return;
  if (verb === "x") return npx(rest, run, "bunx");
  if (verb === "exec") return run.judgeShellText(rest.join(" "));
  if (/^(?:add|a|install|i|link)$/.test(verb)) return judgeInstalledPackages(rest, run);
  judgeRegistry(verb, rest, run);
  if (BUN_VERBS.test(verb)) return;
  // A script, a program of a package or, unlike in the others, one of the system.
  const command = verb === "run" ? readOptions(rest, BUN).operands : options.operands;
  if (command[0] === "-") return judgeStdin(run, (text) => run.judgeCode(text));
  if (command.length > 0) run.asPossible().judgeArgv(command);
  if (command[0]?.includes("node_modules/")) run.asPossible().judgeArgv(["node", ...command]);
};

export const PACKAGE_RULES: readonly [string, Rule][] = [
  ["npm", npm],
  ["yarn", yarn],
  ["bun", bun],
  ["pnpm", pnpm],
];

/** Programs that run a program of a package. */
export const RUNNER_RULES: readonly [string, Rule][] = registerRule("npx bunx pnpx", npx);
