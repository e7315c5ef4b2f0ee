// Creates commands with their common options: --cwd, and --json or the detach key.

import type { Command } from "commander";
import { Option } from "commander";
import { DEFAULT_DETACH } from "../shell/detach-key.ts";

/** Creates a command that takes over the window. */
export function windowCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option(
      "--cwd <folder>",
      "the workspace's folder (default: the current one, or the nearest above it that runs)",
    )
    .addOption(
      new Option("--detach-key <key>", "the key that detaches: ctrl- and a letter, or \\ ] ^ _")
        // Passed as text: commander's own formatting would show the backslash twice.
        .default(DEFAULT_DETACH, DEFAULT_DETACH),
    );
}

export function createCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option(
      "--cwd <folder>",
      "the workspace's folder (default: the current one, or the nearest above it that runs)",
    )
    .option("--json", "print JSON");
}
