// Owns the definition of a tool: a row with its name, scope, schemas and hints. The row gives every
// tool its scope check, its audit line and its choice between event stream and plain answer.

import type { CallToolResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import type * as z from "zod";
import type { Scope, ToolSet } from "../../../../protocol/grant.ts";
import type { AuditLog } from "../../../audit/audit-log.ts";
import type { Caller } from "../../../callers/caller.ts";
import { toAuditName } from "../../../callers/caller.ts";
import { hasScope } from "../../../callers/permissions.ts";
import { INTERNAL_ERROR, logFault } from "../../../faults.ts";
import type { Log } from "../../../log.ts";
import type { ClientElicitation } from "../../../pipeline/pipeline.ts";
import type { Elicitor } from "../elicitation.ts";
import type { FailureNotes } from "../tool-results.ts";
import { toFailure } from "../tool-results.ts";

/** All four MCP hints, so that clients do not have to guess. */
export interface Hints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export interface Call {
  readonly caller: Caller;
  /** Aborts when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
  /**
   * The agent's own client, where its user can see a question; tools that start something pass it
   * on.
   */
  readonly client: ClientElicitation | undefined;
}

/** A result, and the outcome for the audit log. */
export interface AuditedAnswer {
  readonly result: CallToolResult;
  readonly outcome: string;
}

export interface ToolSpec<In extends z.ZodObject, Out extends z.ZodObject> {
  readonly name: string;
  /** Grants may be limited to some tool sets. */
  readonly set: ToolSet;
  readonly scope: Scope;
  readonly title: string;
  readonly description: string;
  readonly input: In;
  readonly output: Out;
  readonly hints: Hints;
  /**
   * Whether the answer is an event stream from the start: with a plain one, a client that
   * disconnected goes unnoticed.
   */
  readonly mayTakeLong?: (args: Readonly<Record<string, unknown>>) => boolean;
  handle(call: Call, args: z.output<In>): AuditedAnswer | Promise<AuditedAnswer>;
}

/** Context shared by all calls of one server. */
export interface ToolContext {
  readonly caller: Caller;
  readonly audit: Pick<AuditLog, "write">;
  readonly log: Pick<Log, "error">;
  readonly elicitor?: Elicitor | undefined;
}

export interface ToolRow {
  readonly name: string;
  readonly set: ToolSet;
  readonly scope: Scope;
  mayTakeLong(args: Readonly<Record<string, unknown>>): boolean;
  register(server: McpServer, context: ToolContext): void;
}

export function tool<In extends z.ZodObject, Out extends z.ZodObject>(
  spec: ToolSpec<In, Out>,
): ToolRow {
  const { name, set, scope, title, description, input, output, hints } = spec;
  const config = {
    title,
    description,
    inputSchema: input,
    outputSchema: output,
    annotations: { ...hints },
  };
  return {
    name,
    set,
    scope,
    mayTakeLong: (args) => spec.mayTakeLong?.(args) ?? false,
    register: (server, context) => {
      const call = async (args: z.output<In>, callContext: ServerContext) => {
        const client = await context.elicitor?.createElicitation(
          server,
          context.caller,
          callContext,
        );
        const { signal } = callContext.mcpReq;
        const result = await runAudited(context, spec, args, { signal, client });
        return (await client?.toRetryResult()) ?? result;
      };
      // The SDK's conditional callback type does not accept a generic row.
      const register: (...all: never[]) => unknown = server.registerTool.bind(server);
      Reflect.apply(register, server, [name, config, call]);
    },
  };
}

async function runAudited<In extends z.ZodObject, Out extends z.ZodObject>(
  context: ToolContext,
  spec: ToolSpec<In, Out>,
  args: z.output<In>,
  callContext: Pick<Call, "signal" | "client">,
): Promise<CallToolResult> {
  const { caller, audit } = context;
  const { name, scope } = spec;
  const { result, outcome } = hasScope(caller, scope)
    ? await catchFaults(context, name, () => spec.handle({ caller, ...callContext }, args))
    : toRefusedAnswer("This token has expired or was revoked");
  audit.write({ event: "call", ...toAuditName(caller), tool: name, arguments: args, outcome });
  return result;
}

/** Runs a handler; exceptions are logged instead of being sent to the agent by the SDK. */
async function catchFaults(
  { caller, log }: ToolContext,
  name: string,
  handle: () => AuditedAnswer | Promise<AuditedAnswer>,
): Promise<AuditedAnswer> {
  try {
    return await handle();
  } catch (error) {
    logFault(log, `${name} of ${caller.grantId}`, error);
    return toRefusedAnswer(INTERNAL_ERROR);
  }
}

export function toRefusedAnswer(
  error: string,
  structured?: Record<string, unknown>,
  notes?: FailureNotes,
): AuditedAnswer {
  return { result: toFailure(error, structured, notes), outcome: error };
}
