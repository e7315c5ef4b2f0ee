// Owns git: the configuration it is given, the options that run something, and which of its verbs are
// known. An unknown verb may be an alias, so it is never safe.

import { isMarked } from "../marks.ts";
import { judgeWrite } from "../redirects.ts";
import type { Rule, Run } from "../run.ts";
import { judgeVerb, KNOWN_VERBS, runsText } from "./git-verbs.ts";

/** Before the verb, these take the next word. */
const TAKES_NEXT: ReadonlySet<string> = new Set([
  "-c",
  "-C",
  "--git-dir",
  "--work-tree",
  "--namespace",
  "--super-prefix",
  "--config-env",
  "--exec-path",
  "--attr-source",
]);

/** Long options of any verb; every unique beginning counts (`--upload-pa`). */
const LONG: readonly { option: string; runs: boolean; why: string }[] = [
  { option: "--upload-pack", runs: true, why: "runs on the other side" },
  { option: "--receive-pack", runs: true, why: "runs on the other side" },
  { option: "--exec", runs: true, why: "runs a command" },
  { option: "--access-hook", runs: true, why: "runs a command" },
  { option: "--extcmd", runs: true, why: "runs a command" },
  { option: "--open-files-in-pager", runs: true, why: "runs a pager" },
  { option: "--tool", runs: false, why: "runs a tool" },
  { option: "--smtp-server", runs: true, why: "runs a mailer" },
  { option: "--config", runs: false, why: "sets configuration" },
  { option: "--template", runs: false, why: "copies hooks" },
  { option: "--ext-diff", runs: false, why: "runs the configured diff" },
  { option: "--output", runs: false, why: "writes a file" },
  { option: "--remote", runs: false, why: "talks to another program" },
];
/** Too short to tell what it abbreviates (`--ex` could be two of them): any match counts. */
const SHORTEST = 4;

/** `ext::` runs its address as a command, `fd::` reads an inherited descriptor. */
const TRANSPORT = /^(?:ext|fd)::/;

export const git: Rule = (args, run) => {
  let index = 0;
  for (; index < args.length; index++) {
    const word = args[index] ?? "";
    if (!word.startsWith("-")) break;
    if (word === "-c") configure(args[index + 1] ?? "", run);
    else judgeGlobal(word, run);
    if (TAKES_NEXT.has(word)) index++;
  }
  const verb = args[index];
  if (verb === undefined) return;
  const rest = args.slice(index + 1);
  if (!KNOWN_VERBS.has(verb))
    run.note("unknown", `git ${verb} could be an alias or writes settings`);
  for (const word of rest) judgeArgument(word, rest, run);
  judgeVerb(verb, rest, run);
};

function judgeGlobal(word: string, run: Run): void {
  if (
    /^(?:--version|--help|-h|-v|--no-pager|-P|--bare|--no-replace-objects|--literal-pathspecs|-C)$/.test(
      word,
    )
  )
    return;
  if (
    /^--(?:html|man|info|exec)-path$/.test(word) ||
    /^--(?:no-optional-locks|icase-pathspecs|glob-pathspecs)$/.test(word)
  )
    return;
  run.note("unknown", `git ${word} changes what git reads or runs`);
}

/** `-c name=value`: an alias or a program setting is a command line. */
function configure(setting: string, run: Run): void {
  run.note("unknown", "git is given configuration");
  const from = setting.indexOf("=");
  if (from > 0) configured(setting.slice(0, from), setting.slice(from + 1), run);
}

/** Also for `git config name value`. */
export function configured(name: string, value: string, run: Run): void {
  if (/^alias\./i.test(name) && !value.startsWith("!"))
    return run.aside().argv(["git", ...value.split(/\s+/)]);
  runsText(value.replace(/^!/, ""), run);
}

function judgeArgument(word: string, rest: readonly string[], run: Run): void {
  if (isMarked(word)) run.note("unknown", "an argument known only when it runs");
  if (TRANSPORT.test(word)) {
    run.note("unknown", "an address that git runs");
    // git's own quoting there: `% ` is a blank.
    return run.aside().shell(word.replace(TRANSPORT, "").replaceAll("% ", " "));
  }
  if (!word.startsWith("--")) return;
  const [name = "", ...values] = word.split("=");
  if (name.length < SHORTEST) return;
  for (const { option, runs, why } of LONG) {
    if (!option.startsWith(name)) continue;
    const value = values.length > 0 ? values.join("=") : rest[rest.indexOf(word) + 1];
    run.note("unknown", `git ${option} ${why}`);
    if (runs && value !== undefined) runsText(value, run);
    if (option === "--output" && value !== undefined) judgeWrite(value, false, run);
  }
}
