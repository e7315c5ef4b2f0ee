// Owns the other package managers on seed 004's safe list, yarn and bun, by npm's measure (npm.ts).

import { isOwnProgram } from "../own.ts";
import { named, type Rule } from "../run.ts";
import { judgePackages, judgeSettings, npm, npx } from "./npm.ts";
import { readOptions, valuesFor } from "./options.ts";

const YARN_UNSAFE: ReadonlySet<string> = new Set([
  "config",
  "set",
  "global",
  "publish",
  "link",
  "create",
  "plugin",
  "npm",
  "login",
  "policies",
  "tag",
  "owner",
  "init",
]);

const yarn: Rule = (args, run) => {
  const options = readOptions(args, {
    long: ["cwd", "registry", "use-yarnrc"],
    longFlags: ["silent"],
    flags: "*",
  });
  judgeSettings(options, run);
  const [verb, ...rest] = options.operands;
  if (verb === undefined) return;
  if (verb === "dlx" || verb === "exec")
    return npx(rest, verb === "exec" ? run.aside() : run, "npx");
  if (verb === "node") return run.argv(["node", ...rest]);
  if (verb === "add") judgePackages(rest, run);
  if (verb === "global" || verb === "link") judgePackages(rest, run);
  if (isOwnProgram(verb) || (verb === "run" && isOwnProgram(rest[0] ?? "")))
    run.note("blocked", "pairpty itself");
  if (YARN_UNSAFE.has(verb)) run.note("unknown", `yarn ${verb} sets or publishes something`);
};

const BUN_VERBS: ReadonlySet<string> = new Set(
  "run test install i add remove update outdated link unlink pm build init why audit".split(" "),
);

const bun: Rule = (args, run) => {
  const options = readOptions(args, {
    values: "erpc",
    flags: "*",
    long: ["eval", "print", "preload", "cwd", "config", "shell"],
    longFlags: ["watch", "hot", "version", "help", "silent", "bun"],
  });
  for (const text of valuesFor(options, "e", "eval", "p", "print")) run.code(text);
  const [verb, ...rest] = options.operands;
  if (verb === undefined) return;
  if (verb === "x") return npx(rest, run, "bunx");
  if (verb === "exec") {
    run.note("unknown", "hands text to a shell");
    return run.shell(rest.join(" "));
  }
  if (/^(?:add|a|install|i|link)$/.test(verb)) judgePackages(rest, run);
  if (!BUN_VERBS.has(verb) && !/[./]/.test(verb))
    run.note("unknown", `bun ${verb} is a script, or something else`);
};

export const PACKAGE_RULES: readonly [string, Rule][] = [
  ["npm", npm],
  ...named("npx bunx", npx),
  ["yarn", yarn],
  ["bun", bun],
];
