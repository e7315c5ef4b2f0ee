// Owns the five terminal tools in MCP: names, descriptions, hints. The agents' service has the
// rules.

import type { Terminal } from "../../../../protocol/terminal.ts";
import type { AgentTerminals } from "../../../agents/service.ts";
import { DEFAULT_READ_BYTES } from "../../../reading/reading.ts";
import { listNotes, readNotes } from "../notes.ts";
import { fitList, noted, seedTerminal, success } from "../results.ts";
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
} from "../schemas.ts";
import type { ToolRow } from "./row.ts";
import { refused, tool } from "./row.ts";

const READS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** The parts of the agents' service that these tools use. */
type Served = Pick<AgentTerminals, "list" | "programs" | "read" | "spawn" | "promote" | "kill">;

export function terminalTools(agents: Served): ToolRow[] {
  return [
    tool({
      name: "list_terminals",
      set: "terminals",
      scope: "read",
      title: "List terminals",
      description:
        "List all terminal sessions with metadata (id, cwd, owner, visible). Look here before you spawn: what you need may be running already.",
      input: listInput,
      output: listOutput,
      hints: READS,
      handle: ({ caller }) => {
        const all = agents.list(caller);
        const terminals = fitList(all, DEFAULT_READ_BYTES);
        const omitted = all.length - terminals.length;
        const seeds = terminals.map(seedTerminal);
        const programs = agents.programs(caller);
        const notes = listNotes(terminals, programs, omitted);
        const result = noted(JSON.stringify(seeds), notes, {
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
        "Get the output history buffer for a terminal (for @terminal context). Read after you spawn, to see that a server came up; use waitFor instead of polling, and offset to continue where the last read ended.",
      input: readInput,
      output: readOutput,
      hints: READS,
      mayTakeLong: ({ waitFor }) => waitFor !== undefined,
      handle: async ({ caller, signal }, { terminalId, ...wish }) => {
        const outcome = await agents.read(caller, terminalId, wish, signal);
        if (!outcome.ok) return refused(outcome.error);
        const { text: history, ...rest } = outcome.value;
        const seed = { terminalId, history };
        const result = noted(JSON.stringify(seed), readNotes(rest), { ...seed, ...rest });
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
      handle: async ({ caller, ...asked }, wish) => {
        const outcome = await agents.spawn(caller, wish, asked);
        if (outcome.ok) {
          const result = success(seedTerminal(outcome.value), { ...outcome.value });
          return { result, outcome: "ok" };
        }
        const { error, retryAfterMs, hint } = outcome;
        return refused(error, retryAfterMs === undefined ? {} : { retryAfterMs }, hint);
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
        if (!outcome.ok) return refused(outcome.error);
        const result = success(seedTerminal(outcome.value), { ...outcome.value });
        return { result, outcome: "ok" };
      },
    }),
    tool({
      name: "kill_terminal",
      set: "terminals",
      scope: "spawn",
      title: "Kill a terminal",
      description:
        "Kill a background terminal owned by this agent. Cannot kill visible or user-owned terminals. Killing one that is gone already is fine.",
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
        if (!outcome.ok) return refused(outcome.error);
        return { result: success(outcome.value, { ...outcome.value }), outcome: "ok" };
      },
    }),
  ];
}

function withProgram(listed: Terminal, program: string): object {
  return program === "" ? listed : { ...listed, program };
}
