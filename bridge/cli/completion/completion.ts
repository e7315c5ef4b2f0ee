// Owns `pairpty completion <shell>`: generates the script from the running program.

import type { Command } from "commander";
import { printLine } from "../output/output.ts";
import { formatBashScript } from "./bash-completion.ts";
import { formatFishScript } from "./fish-completion.ts";
import { toGrammar } from "./completion-grammar.ts";
import type { SHELLS } from "./completion-shells.ts";
import { formatZshScript } from "./zsh-completion.ts";

export type ShellName = (typeof SHELLS)[number];

export function printCompletion(program: Command, shell: ShellName): void {
  const grammar = toGrammar(program);
  const scripts = { bash: formatBashScript, zsh: formatZshScript, fish: formatFishScript };
  printLine(scripts[shell](grammar));
}
