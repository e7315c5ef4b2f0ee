// Defines the commands about agents: connecting them, their actions and approvals.

import type { Command } from "commander";
import { Argument, Option } from "commander";
import { ISOLATIONS } from "../../../protocol/isolation.ts";
import { withAgentFlags } from "../flags/agent-flags.ts";
import { codeOption } from "../flags/code.ts";
import { approvalId, label, promptText, reason } from "../flags/arguments.ts";
import type { ApproveFlags } from "../approvals/verbs.ts";
import type { AgentVerbFlags } from "../agents/agent.ts";
import type { ClientName } from "../../../protocol/connect.ts";
import { CLIENTS } from "../../../protocol/connect.ts";
import { Group } from "../help/help.ts";
import type { ConnectFlags } from "../verbs/access.ts";
import type { VerbFlags } from "../verbs/ask.ts";
import { load } from "./load.ts";
import { verb } from "./verb.ts";

export function addAgents(program: Command): void {
  program.commandsGroup(Group.agents);
  withAgentFlags(verb(program, "connect", "make a token for an agent and print its configuration"))
    .addArgument(new Argument("<client>", "the agent's program").choices(CLIENTS))
    .option("--expires <duration>", "lifetime: 90s, 30m, 2h, 30d", "30d")
    .addOption(codeOption())
    .action(async (client: ClientName, flags: ConnectFlags) =>
      (await load.access()).connect(client, flags),
    );
  program
    .command("agent")
    .description("start a coding agent (ACP) in this workspace")
    .argument("[command...]", "the command that starts it, after --")
    .option("--prompt <text>", "run one turn: print its answer, then exit", promptText)
    .option("--label <name>", "the name that people see (default: its program's name)", label)
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
      load.agent().then(({ agent }) => agent(command, flags)),
    );
  verb(program, "mcp", "serve MCP on standard input and output, for an agent on this machine")
    .option("--name <name>", "the agent's name (default: its program's name)", label)
    .action((flags: VerbFlags & { name?: string }) => load.mcp().then(({ mcp }) => mcp(flags)));
  verb(program, "audit", "show agents' actions (for pairpty's own logs: logs)")
    .option("--follow", "keep printing new lines")
    .action((flags: VerbFlags & { follow?: boolean }) =>
      load.agents().then(({ audit }) => audit(flags)),
    );
  verb(program, "approvals", "list agents' open approvals")
    .argument("[id]", "only this one, with every reason", approvalId)
    .action((id: string | undefined, flags: VerbFlags) =>
      load.approvals().then(({ approvals }) => approvals(id, flags)),
    );
  verb(program, "approve", "allow an agent's request")
    .argument("<id>", "its id, from `pairpty approvals`", approvalId)
    .addOption(codeOption("always needed here"))
    .option("--session", "also allow the same command while the agent's token lasts")
    .option("--prefix", "also allow commands that match the rule shown by `pairpty approvals`")
    .action((id: string, flags: ApproveFlags) =>
      load.approvals().then(({ approve }) => approve(id, flags)),
    );
  verb(program, "deny", "deny an agent's request")
    .argument("<id>", "its id, from `pairpty approvals`", approvalId)
    .option("--reason <text>", "a reason, which the agent reads", reason)
    .action((id: string, flags: VerbFlags & { reason?: string }) =>
      load.approvals().then(({ deny }) => deny(id, flags)),
    );
  verb(program, "rules", "list standing approvals, or end one")
    .option("--end <rule>", "end this one, by its id: the agent needs approval again")
    .action((flags: VerbFlags & { end?: string }) =>
      load.approvals().then(({ rules }) => rules(flags)),
    );
  const policy = program.command("policy").description("ask the command policy").helpCommand(false);
  verb(policy, "check", "read JSON lines on standard input, print a verdict for each").action(
    (flags: VerbFlags) => load.agents().then(({ policyCheck }) => policyCheck(flags)),
  );
}
