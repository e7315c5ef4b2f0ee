// Owns `pairpty completion <shell>`: generates the script from the running program.

import type { Command } from "commander";
import { printLine } from "../output/output.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { grammarOf } from "./grammar.ts";
import type { SHELLS } from "./shells.ts";
import { zshScript } from "./zsh.ts";

export type ShellName = (typeof SHELLS)[number];

export function completion(program: Command, shell: ShellName): void {
  const grammar = grammarOf(program);
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
  printLine(scripts[shell](grammar));
}
