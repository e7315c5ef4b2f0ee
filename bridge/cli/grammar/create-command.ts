// Creates commands with their common options: --cwd, and --json or the detach key. Loads each
// command's code only when it runs: a quick question to the bridge should not load the whole
// bridge.

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

export const loadCommand = {
  start: () => import("../start/start-bridge.ts"),
  access: () => import("../verbs/access-commands.ts"),
  asking: () => import("../verbs/list-commands.ts"),
  agents: () => import("../agents/audit-commands.ts"),
  mcp: () => import("../agents/mcp-command.ts"),
  agent: () => import("../agents/agent-command.ts"),
  approvals: () => import("../approvals/approval-commands.ts"),
  config: () => import("../config/config-commands.ts"),
  completion: () => import("../completion/completion.ts"),
  logs: () => import("../verbs/logs-command.ts"),
  people: () => import("../verbs/people-commands.ts"),
  shell: () => import("../shell/terminal-commands.ts"),
  record: () => import("../recordings/record-command.ts"),
  play: () => import("../recordings/play.ts"),
  relay: () => import("../verbs/relay-command.ts"),
  deploy: () => import("../deploy/deploy.ts"),
  doctor: () => import("../verbs/doctor.ts"),
};
