// Owns the five session tools for agents of a program: names, arguments and descriptions. Their
// steps are in bridge/sessions/, shared with agents over MCP.

import * as z from "zod";
import {
  bashInput,
  continueInput,
  sessionListInput,
  startInput,
  stopInput,
} from "../dialects/mcp/terminal-schemas.ts";
import type { Outcome } from "../pipeline/outcome.ts";
import type { ToolAnswer } from "../sessions/tool-answers.ts";
import { BridgeProvider } from "./bridge-provider.ts";
import type { SessionTools } from "../sessions/session-tools.ts";
import { getAttached } from "./attached-agents.ts";
import type { Agent, TerminalTool, ToolResult } from "./types.ts";

interface ToolRow<Schema extends z.ZodType> {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  readonly run: (
    served: SessionTools<Agent>,
    agent: Agent,
    args: z.infer<Schema>,
  ) => Promise<Outcome<ToolAnswer<object>>>;
}

/** Returns a signal that never aborts: a program awaits its calls, or exits. */
const neverAborts = () => new AbortController().signal;

export const tools: readonly TerminalTool[] = [
  createTool({
    name: "bash",
    description:
      "Execute a shell command and get its exit code and output. For commands that finish on their own: tests, builds, git. Commands not known to be safe need a person's approval.",
    input: bashInput,
    run: (served, agent, { workingDirectory, cwd, ...args }) =>
      served.bash(agent, { ...args, cwd: cwd ?? workingDirectory }, neverAborts()),
  }),
  createTool({
    name: "terminal_start",
    description:
      "Start a persistent terminal session: a dev server, a REPL, any interactive program. Returns its first output once that settles, or immediately with until.",
    input: startInput,
    run: (served, agent, { workingDirectory, cwd, ...args }) =>
      served.start(agent, { ...args, cwd: cwd ?? workingDirectory }, neverAborts()),
  }),
  createTool({
    name: "terminal_continue",
    description:
      "Send input to a terminal session and get what it printed since the last call. Without stdin it only waits for more.",
    input: continueInput,
    run: (served, agent, args) => served.continue(agent, args, neverAborts()),
  }),
  createTool({
    name: "terminal_stop",
    description: "Terminate a terminal session and everything in it.",
    input: stopInput,
    run: (served, agent, { sessionId }) => served.stop(agent, sessionId),
  }),
  createTool({
    name: "terminal_list",
    description: "List your active terminal sessions.",
    input: sessionListInput,
    run: async (served, agent) => ({ ok: true, value: served.list(agent) }),
  }),
];

function createTool<Schema extends z.ZodType>(row: ToolRow<Schema>): TerminalTool {
  const { name, description, input } = row;
  return {
    name,
    description,
    inputSchema: { ...z.toJSONSchema(input, { io: "input" }) },
    execute: async (args, agent) => {
      const attached = getAttached(agent);
      const provider = attached.provider();
      // The bridge has the same tools, with its own approvals.
      if (provider instanceof BridgeProvider) return await provider.callTool(name, args);
      const parsed = input.safeParse(args);
      if (!parsed.success) return refused(`${name}: ${z.prettifyError(parsed.error)}`);
      const outcome = await row.run(attached.tools, agent, parsed.data);
      if (!outcome.ok) return refused(outcome.error);
      const { text, notes, fields } = outcome.value;
      return { ...fields, text, notes, isError: false };
    },
  };
}

function refused(error: string): ToolResult {
  return { text: error, notes: [], isError: true, error };
}
