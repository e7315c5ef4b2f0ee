// Owns the five tools of seeds 000 and 002 on an MCP server, for one grant: names, words, hints.
// The rules are the agents' service's; a tool whose scope the grant lacks is not there at all.

import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import type { Scope } from "../../../protocol/grant.ts";
import type { AuditLog } from "../../agents/audit.ts";
import { DEFAULT_READ_BYTES } from "../../agents/reading.ts";
import type { AgentTerminals, Outcome } from "../../agents/service.ts";
import { FAULT, logFault } from "../../faults.ts";
import type { Grant } from "../../grants/table.ts";
import type { Log } from "../../log.ts";
import { failure, fitList, seedTerminal, success } from "./results.ts";
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
} from "./schemas.ts";

const HERE_ONLY = { openWorldHint: false } as const;
const READS = { ...HERE_ONLY, readOnlyHint: true, destructiveHint: false, idempotentHint: true };

export interface Caller {
  readonly agents: Pick<AgentTerminals, "list" | "read" | "spawn" | "promote" | "kill">;
  readonly audit: Pick<AuditLog, "write">;
  readonly log: Pick<Log, "error">;
  readonly grant: Grant;
}

export function registerTools(server: McpServer, caller: Caller): void {
  const has = (scope: Scope) => caller.grant.scopes.includes(scope);
  if (has("read")) registerReading(server, caller);
  if (has("spawn")) registerSpawning(server, caller);
}

function registerReading(server: McpServer, caller: Caller): void {
  const { agents, audit, grant } = caller;
  server.registerTool(
    "list_terminals",
    {
      title: "List terminals",
      description:
        "List all terminal sessions with metadata (id, cwd, owner, visible). Look here before you spawn: what you need may be running already.",
      inputSchema: listInput,
      outputSchema: listOutput,
      annotations: READS,
    },
    guarded(caller, "list_terminals", () => {
      const all = agents.list();
      const terminals = fitList(all, DEFAULT_READ_BYTES);
      write(audit, grant, "list_terminals", {}, { ok: true, value: undefined });
      const omitted = all.length - terminals.length;
      return success(terminals.map(seedTerminal), { terminals, omitted });
    }),
  );
  server.registerTool(
    "read_terminal",
    {
      title: "Read a terminal",
      description:
        "Get the output history buffer for a terminal (for @terminal context). Read after you spawn, to see that a server came up; use waitFor instead of reading again and again, and offset to go on where the last read ended.",
      inputSchema: readInput,
      outputSchema: readOutput,
      annotations: READS,
    },
    guarded(caller, "read_terminal", async ({ terminalId, ...wish }, ctx) => {
      const outcome = await agents.read(terminalId, wish, ctx.mcpReq.signal);
      const waited = outcome.ok ? outcome.value.waited : undefined;
      write(audit, grant, "read_terminal", { terminalId, ...wish }, outcome, waited);
      if (!outcome.ok) return failure(outcome.error);
      const { text, ...rest } = outcome.value;
      const history = marked(text, rest, wish.offset);
      return success({ terminalId, history }, { terminalId, history, ...rest });
    }),
  );
}

function registerSpawning(server: McpServer, caller: Caller): void {
  const { agents, audit, grant } = caller;
  server.registerTool(
    "spawn_background_terminal",
    {
      title: "Spawn a background terminal",
      description:
        "Spawn a background terminal for running dev servers, tests, etc. At most 3 a minute and 5 at once; blocked commands are refused. It stays in the background until you promote it, and closes by itself after 5 minutes without activity. Kill it when you are done.",
      inputSchema: spawnInput,
      outputSchema: spawnOutput,
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
    guarded(caller, "spawn_background_terminal", async (wish) => {
      const outcome = await agents.spawn(grant, wish);
      write(audit, grant, "spawn_background_terminal", wish, outcome);
      if (outcome.ok) return success(seedTerminal(outcome.value), { ...outcome.value });
      const { error, retryAfterMs } = outcome;
      return failure(error, retryAfterMs === undefined ? {} : { retryAfterMs });
    }),
  );
  server.registerTool(
    "promote_terminal",
    {
      title: "Promote a terminal",
      description:
        "Promote a background terminal to visible (for Cursor handoff), once it is stable. It is the user's from then on: you can no longer kill it.",
      inputSchema: promoteInput,
      outputSchema: terminal,
      annotations: {
        ...HERE_ONLY,
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
      },
    },
    guarded(caller, "promote_terminal", ({ terminalId }) => {
      const outcome = agents.promote(grant, terminalId);
      write(audit, grant, "promote_terminal", { terminalId }, outcome);
      if (!outcome.ok) return failure(outcome.error);
      return success(seedTerminal(outcome.value), { ...outcome.value });
    }),
  );
  server.registerTool(
    "kill_terminal",
    {
      title: "Kill a terminal",
      description:
        "Kill a background terminal owned by this agent. Cannot kill visible or user-owned terminals. Killing one that is gone already is fine.",
      inputSchema: killInput,
      outputSchema: killOutput,
      annotations: {
        ...HERE_ONLY,
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: true,
      },
    },
    guarded(caller, "kill_terminal", async ({ terminalId }) => {
      const outcome = await agents.kill(grant, terminalId);
      write(audit, grant, "kill_terminal", { terminalId }, outcome);
      return outcome.ok ? success(outcome.value, { ...outcome.value }) : failure(outcome.error);
    }),
  );
}

/** The SDK would tell the agent what was thrown, and nobody else. */
function guarded<Values extends unknown[]>(
  { audit, log, grant }: Caller,
  tool: string,
  handler: (...values: Values) => CallToolResult | Promise<CallToolResult>,
): (...values: Values) => Promise<CallToolResult> {
  return async (...values) => {
    try {
      return await handler(...values);
    } catch (error) {
      logFault(log, `${tool} of ${grant.id}`, error);
      write(audit, grant, tool, {}, { ok: false, error: FAULT });
      return failure(FAULT);
    }
  };
}

/** Where a cut begins is said in the text too: it is all that some clients show a model. */
function marked(
  text: string,
  {
    truncated,
    offset,
    firstRetained,
  }: { truncated: boolean; offset: number; firstRetained: number },
  asked: number | undefined,
): string {
  if (!truncated || asked !== undefined || offset <= firstRetained) return text;
  return `[earlier output is cut; read it from offset ${firstRetained}]\n${text}`;
}

function write(
  audit: Pick<AuditLog, "write">,
  { id, label }: Grant,
  tool: string,
  args: object,
  outcome: Outcome<unknown>,
  note?: string,
): void {
  audit.write({
    event: "call",
    grant: id,
    label,
    tool,
    arguments: args,
    outcome: outcome.ok ? (note ?? "ok") : outcome.error,
  });
}
