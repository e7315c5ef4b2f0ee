// Owns the terminal tools in MCP: names, descriptions, hints. The agents' service has the rules.

import type { Terminal } from "../../../../protocol/terminal.ts";
import type { AgentTerminals } from "../../../agents/agent-terminals.ts";
import { DEFAULT_READ_BYTES } from "../../../reading/terminal-text.ts";
import {
  formatListNotes,
  formatReadNotes,
  truncateList,
  toSuccessWithNotes,
  toTerminalMetadata,
  toSuccess,
} from "../tool-results.ts";
import {
  killInput,
  killOutput,
  listInput,
  listOutput,
  promoteInput,
  readInput,
  readOutput,
  spawnInput,
  spawnOutput,
  terminal,
} from "../terminal-schemas.ts";
import type { ToolRow } from "./tool-row.ts";
import { toRefusedAnswer, tool } from "./tool-row.ts";

const READ_HINTS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** The parts of the agents' service that these tools use. */
type TerminalService = Pick<
  AgentTerminals,
  "list" | "listPrograms" | "read" | "spawn" | "promote" | "kill"
>;

export function terminalTools(agents: TerminalService): ToolRow[] {
  return [
    tool({
      name: "list_terminals",
      set: "terminals",
      scope: "read",
      title: "List terminals",
      description:
        "List all terminal sessions with metadata (id, cwd, owner, visible). Look here before you spawn: it may be running already.",
      input: listInput,
      output: listOutput,
      hints: READ_HINTS,
      handle: ({ caller }) => {
        const all = agents.list(caller);
        const terminals = truncateList(all, DEFAULT_READ_BYTES);
        const omitted = all.length - terminals.length;
        const metadata = terminals.map(toTerminalMetadata);
        const programs = agents.listPrograms(caller);
        const notes = formatListNotes(terminals, programs, omitted);
        const result = toSuccessWithNotes(JSON.stringify(metadata), notes, {
          terminals: terminals.map((one) => withProgram(one, programs.get(one.id) ?? "")),
          omitted,
        });
        return { result, outcome: "ok" };
      },
    }),
    tool({
      name: "read_terminal",
      set: "terminals",
      scope: "read",
      title: "Read a terminal",
      description:
        "Get the output history buffer for a terminal (for @terminal context). Read after you spawn to see that a server came up; use waitFor instead of polling, and offset to continue where the last read ended.",
      input: readInput,
      output: readOutput,
      hints: READ_HINTS,
      mayTakeLong: ({ waitFor }) => waitFor !== undefined,
      handle: async ({ caller, signal }, { terminalId, ...request }) => {
        const outcome = await agents.read(caller, terminalId, request, signal);
        if (!outcome.ok) return toRefusedAnswer(outcome.error);
        const { text: history, ...rest } = outcome.value;
        const output = { terminalId, history };
        const result = toSuccessWithNotes(JSON.stringify(output), formatReadNotes(rest), {
          ...output,
          ...rest,
        });
        return { result, outcome: rest.waited ?? "ok" };
      },
    }),
    tool({
      name: "spawn_background_terminal",
      set: "terminals",
      scope: "spawn",
      title: "Spawn a background terminal",
      description:
        "Spawn a background terminal for running dev servers, tests, etc. At most 3 a minute and 5 at once; blocked commands are refused. It stays in the background until you promote it, and is closed after 5 minutes without activity. Kill it when you are done.",
      input: spawnInput,
      output: spawnOutput,
      hints: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: true,
      },
      mayTakeLong: () => true,
      handle: async ({ caller, ...context }, request) => {
        const outcome = await agents.spawn(caller, request, context);
        if (outcome.ok) {
          const result = toSuccess(toTerminalMetadata(outcome.value), { ...outcome.value });
          return { result, outcome: "ok" };
        }
        const { error, retryAfterMs } = outcome;
        return toRefusedAnswer(error, retryAfterMs === undefined ? {} : { retryAfterMs }, outcome);
      },
    }),
    tool({
      name: "promote_terminal",
      set: "terminals",
      scope: "spawn",
      title: "Promote a terminal",
      description:
        "Promote a background terminal to visible (for Cursor handoff), once it is stable. It is the user's from then on: you can no longer kill it.",
      input: promoteInput,
      output: terminal,
      hints: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      handle: ({ caller }, { terminalId }) => {
        const outcome = agents.promote(caller, terminalId);
        if (!outcome.ok) return toRefusedAnswer(outcome.error);
        const result = toSuccess(toTerminalMetadata(outcome.value), { ...outcome.value });
        return { result, outcome: "ok" };
      },
    }),
    tool({
      name: "kill_terminal",
      set: "terminals",
      scope: "spawn",
      title: "Kill a terminal",
      description:
        "Kill a background terminal owned by this agent. Cannot kill visible or user-owned terminals. Killing one that is gone is fine.",
      input: killInput,
      output: killOutput,
      hints: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: true,
        openWorldHint: false,
      },
      mayTakeLong: () => true,
      handle: async ({ caller }, { terminalId }) => {
        const outcome = await agents.kill(caller, terminalId);
        if (!outcome.ok) return toRefusedAnswer(outcome.error);
        return { result: toSuccess(outcome.value, { ...outcome.value }), outcome: "ok" };
      },
    }),
  ];
}

function withProgram(listed: Terminal, program: string): object {
  return program === "" ? listed : { ...listed, program };
}
