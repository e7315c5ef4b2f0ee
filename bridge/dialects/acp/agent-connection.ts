// Owns ACP's JSON-RPC with the bridge as the client (protocol version 1): the SDK's connection over
// an agent's stream, and the mapping between methods and calls. The rules are in
// bridge/conversations/.

import type { AnyNotification, ClientRequestContext } from "@agentclientprotocol/sdk";
import { client } from "@agentclientprotocol/sdk";
import type * as z from "zod/mini";
import { compact } from "../../../protocol/compact.ts";
import { parseValue } from "../../../protocol/json.ts";
import type {
  AgentRequestHandler,
  AgentPort,
  OpenedSession,
  AgentInfo,
  AgentWire,
} from "../../conversations/agent-ports.ts";
import { Failure, AgentFault } from "../../conversations/agent-ports.ts";
import { parseModes } from "../../conversations/update-parser.ts";
import { logFault } from "../../faults.ts";
import type { Log } from "../../log.ts";
import { SerialQueue } from "../../reading/serial-queue.ts";
import { VERSION } from "../../build-info.ts";
import { toAgentFault, toRequestError, filterMessages } from "./message-filter.ts";
import * as params from "./acp-params.ts";

const PROTOCOL_VERSION = 1;
/** Generous: some programs unpack themselves first. */
const INITIALIZE_MS = 60_000;
const SESSION_MS = 120_000;
const SHORT_MS = 30_000;
/** Open requests of one agent, at most. */
export const MAX_OPEN_REQUESTS = 64;

export interface ConnectDeps {
  readonly wire: Pick<AgentWire, "stream" | "waitForDrain">;
  readonly calls: AgentRequestHandler;
  /** The user's settings. */
  readonly hasTerminals: boolean;
  readonly hasFiles: boolean;
  readonly log: Pick<Log, "error">;
  /** Replaces the timeouts above, in tests. */
  readonly timeoutMs?: number;
}

export function connectAgent(deps: ConnectDeps): AgentPort {
  const { wire, calls, hasTerminals, hasFiles, log, timeoutMs } = deps;
  const app = client({ name: "pairpty" });
  let openRequests = 0;
  const serve = <T, R>(
    method: string,
    schema: z.ZodMiniType<T>,
    handle: (given: T, signal: AbortSignal) => R | Promise<R>,
  ) =>
    app.onRequest<unknown, R>(
      method,
      (given) => given,
      async ({ params: given, signal }: ClientRequestContext<unknown>) => {
        if (openRequests >= MAX_OPEN_REQUESTS) {
          throw toRequestError(
            new Failure("refused", `${MAX_OPEN_REQUESTS} requests are already open`),
          );
        }
        openRequests += 1;
        try {
          const parsed = parseValue(schema, given);
          if (!parsed.ok) throw new Failure("invalid", `${method}: ${parsed.error}`);
          return await handle(parsed.value, signal);
        } catch (error) {
          if (!(error instanceof Failure)) logFault(log, `${method} of a coding agent`, error);
          throw toRequestError(error);
        } finally {
          openRequests -= 1;
        }
      },
    );
  const terminal = <T, R>(
    method: string,
    schema: z.ZodMiniType<T>,
    handle: (given: T, signal: AbortSignal) => R | Promise<R>,
  ) =>
    serve(method, schema, (given, signal) => {
      if (hasTerminals) return handle(given, signal);
      throw new Failure("off", "Terminals are disabled: the user's setting acp.terminal is false");
    });
  const file = <T, R>(
    method: string,
    schema: z.ZodMiniType<T>,
    handle: (given: T, signal: AbortSignal) => R | Promise<R>,
  ) =>
    serve(method, schema, (given, signal) => {
      if (hasFiles) return handle(given, signal);
      throw new Failure("off", "Files are disabled: the user's setting acp.files is false");
    });

  /** Large answers are sent one by one: the next starts when the agent has read the last. */
  const large = new SerialQueue();
  const runSequentially = <T>(signal: AbortSignal, answer: () => Promise<T>) =>
    large.run(async () => {
      await wire.waitForDrain();
      if (signal.aborted) throw new Failure("cancelled", "The request was cancelled");
      return await answer();
    });

  serve(
    "session/request_permission",
    params.PermissionParams,
    async ({ sessionId, toolCall, options }, signal) => {
      const answer = await calls.requestPermission(sessionId, toolCall, options, signal);
      if (answer === "cancelled") return { outcome: { outcome: "cancelled" } };
      const outcome = { outcome: "selected", optionId: answer.option } as const;
      // ACP has no field for the reason; agents that support it find it here.
      return answer.reason === undefined
        ? { outcome }
        : { outcome, _meta: { reason: answer.reason } };
    },
  );
  file("fs/read_text_file", params.ReadParams, ({ sessionId, path, line, limit }, signal) =>
    runSequentially(signal, async () => ({
      content: await calls.readFile(sessionId, path, line ?? undefined, limit ?? undefined),
    })),
  );
  file("fs/write_text_file", params.WriteParams, async ({ sessionId, path, content }, signal) => {
    await calls.writeFile(sessionId, path, content, signal);
    return {};
  });
  terminal("terminal/create", params.CreateParams, async (given, signal) => {
    const { sessionId, command, args, env, cwd, outputByteLimit } = given;
    const request = {
      command,
      args: args ?? [],
      env: env ?? [],
      cwd: cwd ?? undefined,
      outputByteLimit: outputByteLimit ?? undefined,
    };
    return { terminalId: await calls.createTerminal(sessionId, request, signal) };
  });
  terminal("terminal/output", params.TerminalParams, ({ sessionId, terminalId }, signal) =>
    runSequentially(signal, async () => {
      const { output, truncated, exit } = await calls.getOutput(sessionId, terminalId);
      return { output, truncated, ...compact({ exitStatus: exit }) };
    }),
  );
  terminal(
    "terminal/wait_for_exit",
    params.TerminalParams,
    async ({ sessionId, terminalId }, signal) =>
      await calls.waitForExit(sessionId, terminalId, signal),
  );
  terminal("terminal/kill", params.TerminalParams, async ({ sessionId, terminalId }) => {
    await calls.kill(sessionId, terminalId);
    return {};
  });
  terminal("terminal/release", params.TerminalParams, async ({ sessionId, terminalId }) => {
    await calls.release(sessionId, terminalId);
    return {};
  });

  const update = ({ method, params: given }: AnyNotification) => {
    const parsed = method === "session/update" ? parseValue(params.UpdateParams, given) : undefined;
    if (parsed?.ok !== true) return;
    try {
      calls.update(parsed.value.sessionId, parsed.value.update);
    } catch (error) {
      logFault(log, "session/update of a coding agent", error);
    }
  };
  const connection = app.connect(filterMessages(wire.stream, update));
  const { agent } = connection;

  /** Sends a request and validates the answer; throws if the agent does not answer in time. */
  async function ask<T>(
    method: string,
    given: object,
    schema: z.ZodMiniType<T>,
    maxMs?: number,
  ): Promise<T> {
    const answered = agent.request(method, given);
    const most = maxMs === undefined ? undefined : (timeoutMs ?? maxMs);
    const value = await withTimeout(answered, most, method).catch((error: unknown) => {
      throw toAgentFault(error, method);
    });
    const parsed = parseValue(schema, value);
    if (!parsed.ok)
      throw new AgentFault(`the agent's answer to ${method} is wrong: ${parsed.error}`);
    return parsed.value;
  }

  return {
    closed: connection.closed,
    close: () => connection.close(),
    initialize: async (): Promise<AgentInfo> => {
      const result = await ask(
        "initialize",
        {
          protocolVersion: PROTOCOL_VERSION,
          clientCapabilities: {
            fs: { readTextFile: hasFiles, writeTextFile: hasFiles },
            terminal: hasTerminals,
            // Makes agents that run commands themselves show their terminals.
            _meta: { terminal_output: true },
          },
          clientInfo: { name: "pairpty", version: VERSION },
        },
        params.InitializeResult,
        INITIALIZE_MS,
      );
      const { protocolVersion, agentCapabilities: can, agentInfo, authMethods } = result;
      if (protocolVersion !== PROTOCOL_VERSION) {
        const versions = `${protocolVersion}; pairpty speaks ${PROTOCOL_VERSION}`;
        throw new AgentFault(`the agent speaks ACP version ${versions}`);
      }
      return {
        name: agentInfo?.title ?? agentInfo?.name,
        version: agentInfo?.version,
        canLoad: can?.loadSession === true,
        canClose: can?.sessionCapabilities?.close !== undefined,
        takesHttp: can?.mcpCapabilities?.http === true,
        logins: (authMethods ?? []).flatMap(({ name, description }) => description ?? name ?? []),
      };
    },
    openSession: async (cwd, servers): Promise<OpenedSession> => {
      const given = { cwd, mcpServers: servers };
      const begun = await ask("session/new", given, params.BeginResult, SESSION_MS);
      return { session: begun.sessionId, modes: parseModes(begun.modes) };
    },
    loadSession: async (session, cwd, servers): Promise<OpenedSession> => {
      const given = { sessionId: session, cwd, mcpServers: servers };
      const loaded = await ask("session/load", given, params.LoadResult, SESSION_MS);
      return { session, modes: parseModes(loaded?.modes) };
    },
    prompt: async (session, text) => {
      const given = { sessionId: session, prompt: [{ type: "text", text }] };
      return (await ask("session/prompt", given, params.PromptResult)).stopReason;
    },
    // Not awaited: a lost connection is reported elsewhere.
    cancel: (session) =>
      void agent.notify("session/cancel", { sessionId: session }).catch(() => {}),
    setMode: async (session, mode) => {
      const given = { sessionId: session, modeId: mode };
      await ask("session/set_mode", given, params.LoadResult, SHORT_MS);
    },
    closeSession: async (session) => {
      await ask("session/close", { sessionId: session }, params.LoadResult, SHORT_MS);
    },
  };
}

async function withTimeout<T>(
  answered: Promise<T>,
  maxMs: number | undefined,
  what: string,
): Promise<T> {
  if (maxMs === undefined) return await answered;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const seconds = Math.ceil(maxMs / 1_000);
      reject(new AgentFault(`the agent did not answer ${what} within ${seconds} s`));
    }, maxMs);
  });
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}
