// Owns judging one command by the table of hard-to-undo calls: `dangerous` if a row fits. The rows are
// in the files beside; programs that run their arguments are in unwrap/.

import { formatCall } from "../rule.ts";
import { toRuleName, takesNamesAsData } from "../program-names.ts";
import type { Run } from "../rule.ts";
import { isDestroyingVerb, MAX_SUB_COMMANDS, SUB_COMMAND } from "../destructive-verbs.ts";
import { INFRASTRUCTURE_TOOLS } from "./infrastructure-tools.ts";
import { MACHINE_TOOLS, PROJECT_TOOLS } from "./project-tools.ts";
import { findRow, type ToolRows } from "./call-row.ts";
import { destroysData, isDatabaseClient } from "./harmful-code.ts";

const TOOLS: ReadonlyMap<string, readonly ToolRows[]> = [
  INFRASTRUCTURE_TOOLS,
  PROJECT_TOOLS,
  MACHINE_TOOLS,
]
  .flatMap((table) => Object.entries(table))
  .flatMap(([names, tool]) => names.split(" ").map((name) => [name, tool] as const))
  .reduce((table, [name, tool]) => {
    const key = name.toLowerCase();
    return table.set(key, [...(table.get(key) ?? []), tool]);
  }, new Map<string, readonly ToolRows[]>());

/** Whether the table has rows for a program. */
export function isListedTool(name: string): boolean {
  return TOOLS.has(name) || isDatabaseClient(name);
}

export function judgeIrreversible(word: string, args: readonly string[], run: Run): void {
  const name = toRuleName(word);
  const texts = [...run.stdin, ...(run.isPiped ? run.printed : [])];
  const isFound = (TOOLS.get(name) ?? []).some((tool) => {
    const input = tool.readsCalls === true ? texts.flatMap((text) => text.split("\n")) : [];
    const calls = [args, ...input.map((line) => line.trim().split(/\s+/))];
    return calls.some((call) => findRow(tool, call) !== undefined);
  });
  if (isFound) run.note("dangerous", `${formatCall([name, ...args], 2)} is hard to undo`);
  if (!isDatabaseClient(name)) return;
  if (destroysData(name, [...args, ...texts]))
    run.note("dangerous", `${run.callText()} changes or deletes data`);
}

/** Sub-commands after which words are names, texts or arguments of another program. */
const TAKES_NAMES: ReadonlySet<string> = new Set(
  (
    "test tests run exec x check bench build add install i search find grep show info view get list ls describe help " +
    "status log logs cat create new init start restart edit rename import set open doc docs which where why print " +
    "echo commit use use-context tag comment say send cp copy mv"
  ).split(" "),
);
/** Programs without a rule whose operands are files, hosts, texts or names of tests. */
const TAKES_DATA: ReadonlySet<string> = new Set(
  (
    "nano micro hx ruff mypy black flake8 pylint isort pyright go gofmt rustc javac tokei cloc scc ping dig nslookup " +
    "host whois figlet cowsay say eslint prettier biome stylelint shellcheck hadolint playwright cypress bats phpstan " +
    "psalm rubocop ctags entr gum glow mdcat delta exa eza lsd zoxide z j autojump tig lazygit make gmake ninja " +
    "rustfmt clang-format swiftformat nl tac cut paste column join tsort look locate mdfind logger wall notify-send"
  ).split(" "),
);

/** Options without a value in any program; the word after any other option may be its value. */
const FLAG =
  /^(?:-[fyvqdn]+|--(?:force|yes|verbose|quiet|silent|debug|json|all|recursive|auto-approve|non-interactive|no-[\w-]+))$/;

/**
 * Judges by words alone: one of the leading sub-commands may mean deleting. After the second one
 * `delete-x` may be a name, so only the bare verb counts.
 */
export function judgeVerbNames(word: string, args: readonly string[], run: Run): void {
  if (takesNamesAsData(word) || TAKES_DATA.has(toRuleName(word)) || args.includes("--help")) return;
  const isValue = (before = "") => /^-[^=]*$/.test(before) && !FLAG.test(before);
  const words = args
    .filter((arg, index) => !arg.startsWith("-") && !isValue(args[index - 1]))
    .slice(0, MAX_SUB_COMMANDS);
  const end = words.findIndex((arg) => !SUB_COMMAND.test(arg) || TAKES_NAMES.has(arg));
  const verb = words
    .slice(0, end < 0 ? undefined : end + 1)
    .find((arg, index) => isDestroyingVerb(arg) && (index < 2 || /^[a-z]+$/i.test(arg)));
  if (verb !== undefined && !TAKES_NAMES.has(words[words.indexOf(verb) - 1] ?? ""))
    run.note("dangerous", `${formatCall([word, verb], 1)} is hard to undo, judging by its name`, {
      basis: "hint",
    });
}
