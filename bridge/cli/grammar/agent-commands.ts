// Defines the commands about agents: connecting them, their actions and approvals.

import type { Command } from "commander";
import { Argument, Option } from "commander";
import { ISOLATIONS } from "../../../protocol/isolation.ts";
import {
  withAgentFlags,
  parseApprovalId,
  parseLabel,
  parsePrompt,
  parseReason,
  createCodeOption,
} from "../flags/parse-arguments.ts";
import type { ApproveFlags } from "../approvals/approval-commands.ts";
import type { AgentVerbFlags } from "../agents/agent-command.ts";
import type { ClientName } from "../../../protocol/connect.ts";
import { CLIENTS } from "../../../protocol/connect.ts";
import { HelpGroup } from "../help/help.ts";
import type { ConnectFlags } from "../verbs/access-commands.ts";
import type { VerbFlags } from "../verbs/bridge-request.ts";
import { loadCommand, createCommand } from "./create-command.ts";

export function addAgentCommands(program: Command): void {
  program.commandsGroup(HelpGroup.agents);
  withAgentFlags(
    createCommand(program, "connect", "make a token for an agent and print its configuration"),
  )
    .addArgument(new Argument("<client>", "the agent's program").choices(CLIENTS))
    .option("--expires <duration>", "lifetime: 90s, 30m, 2h, 30d (default: 30d)")
    .addOption(createCodeOption())
    .action(async (client: ClientName, flags: ConnectFlags) =>
      (await loadCommand.access()).connect(client, flags),
    );
  program
    .command("agent")
    .description("start a coding agent (ACP) in this workspace")
    .argument("[command...]", "the command that starts it, after --")
    .option("--prompt <text>", "run one turn: print its answer, then exit", parsePrompt)
    .option("--label <name>", "the name that people see (default: its program's name)", parseLabel)
    .addOption(
      new Option(
        "--isolation <level>",
        "isolation of the agent and what it starts (default: none)",
      ).choices(ISOLATIONS),
    )
    .option(
      "--settings <folder...>",
      "extra writable folders inside the sandbox, such as its settings",
    )
    .option(
      "--cwd <folder>",
      "the workspace's folder (default: the current one, or the nearest above it that runs)",
    )
    .action((command: string[], flags: AgentVerbFlags) =>
      loadCommand.agent().then(({ agent }) => agent(command, flags)),
    );
  createCommand(
    program,
    "mcp",
    "serve MCP on standard input and output, for an agent on this machine",
  )
    .option("--name <name>", "the agent's name (default: its program's name)", parseLabel)
    .action((flags: VerbFlags & { name?: string }) =>
      loadCommand.mcp().then(({ mcp }) => mcp(flags)),
    );
  createCommand(program, "audit", "show agents' actions (for pairpty's own logs: logs)")
    .option("--follow", "keep printing new lines")
    .action((flags: VerbFlags & { follow?: boolean }) =>
      loadCommand.agents().then(({ audit }) => audit(flags)),
    );
  createCommand(program, "approvals", "list agents' open approvals")
    .argument("[id]", "only this one, with every reason", parseApprovalId)
    .action((id: string | undefined, flags: VerbFlags) =>
      loadCommand.approvals().then(({ approvals }) => approvals(id, flags)),
    );
  createCommand(program, "approve", "allow an agent's request")
    .argument("<id>", "its id, from `pairpty approvals`", parseApprovalId)
    .addOption(createCodeOption("always needed here"))
    .option("--session", "also allow the same command while the agent's token lasts")
    .option("--prefix", "also allow commands that match the rule shown by `pairpty approvals`")
    .action((id: string, flags: ApproveFlags) =>
      loadCommand.approvals().then(({ approve }) => approve(id, flags)),
    );
  createCommand(program, "deny", "deny an agent's request")
    .argument("<id>", "its id, from `pairpty approvals`", parseApprovalId)
    .option("--reason <text>", "a reason, which the agent reads", parseReason)
    .action((id: string, flags: VerbFlags & { reason?: string }) =>
      loadCommand.approvals().then(({ deny }) => deny(id, flags)),
    );
  createCommand(program, "rules", "list standing approvals, or end one")
    .option("--end <rule>", "end this one, by its id: the agent needs approval again")
    .action((flags: VerbFlags & { end?: string }) =>
      loadCommand.approvals().then(({ rules }) => rules(flags)),
    );
  const policy = program.command("policy").description("ask the command policy").helpCommand(false);
  createCommand(
    policy,
    "check",
    "read JSON lines on standard input, print a verdict for each",
  ).action((flags: VerbFlags) =>
    loadCommand.agents().then(({ policyCheck }) => policyCheck(flags)),
  );
}
