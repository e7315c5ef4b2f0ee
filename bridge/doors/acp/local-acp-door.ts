// Owns the door for coding agents on this machine: `acp.sock`, where `pairpty agent` forwards its
// agent's messages, one caller per connection. Processes that the agent leaves behind are killed
// after its connection ends. Does not start agents and does not know ACP's methods.

import type { Socket } from "node:net";
import type { Approval } from "../../../protocol/approval.ts";
import { parseText } from "../../../protocol/json.ts";
import { MiB } from "../../../protocol/limits.ts";
import type { Caller, CloseReason, Door } from "../../callers/caller.ts";
import type { Hub } from "../../callers/hub.ts";
import type { AgentsHost } from "../../conversations/agent-ports.ts";
import { UserError } from "../../errors.ts";
import { logFault } from "../../faults.ts";
import type { LocalAgents } from "../../grants/local-agents.ts";
import type { GrantTable } from "../../grants/grant-table.ts";
import { writeLine, closeIfSilent, LocalSocket, LineSplitter } from "../../local/local-socket.ts";
import type { Log } from "../../log.ts";
import { AgentMessages } from "./agent-messages.ts";
import { AgentGoneLine, AgentIntroduction, isPairptyLine } from "./agent-lines.ts";
import type { BridgeLine } from "./agent-lines.ts";

/** A file of 4 MiB, quoted as JSON. */
const MAX_LINE = 8 * MiB;
/** Unread bytes after which an agent is closed. */
const MAX_UNREAD_BYTES = 32 * MiB;
/** Time for a closed agent to read the last message. */
const CLOSE_GRACE_MS = 1_000;
/** `pairpty agent` kills its agent itself, but may have been killed. */
export const SWEEP_AFTER_MS = 3_000;

export interface AcpDoorDeps {
  readonly grants: Pick<GrantTable, "lookUp">;
  readonly agents: Pick<LocalAgents, "connect">;
  readonly hub: Pick<Hub, "open">;
  readonly host: AgentsHost;
  /** Folder of the workspace. */
  readonly folder: string;
  /** Address of this room's page. */
  readonly link: string;
  /** Fires when people are asked for an approval. Returns the unsubscribe function. */
  readonly onApprovalRequested: (listener: (approval: Approval) => void) => () => void;
  /** Kills every process with this tag. */
  readonly sweep: (mark: string) => void;
  readonly log: Pick<Log, "error">;
}

/** Agents send requests and get no messages about the room. */
const ACP_DOOR: Door = { name: "acp", proof: "socket", sendAll: () => {} };

export function createAcpDoor(deps: AcpDoorDeps): LocalSocket {
  return new LocalSocket((socket) => {
    const markActive = closeIfSilent(socket);
    let agent: AgentConnection | undefined;
    const lines = new LineSplitter(MAX_LINE);
    let isTooLong = false;
    socket.on("data", (chunk: Buffer) => {
      if (isTooLong) return;
      const complete = lines.push(chunk);
      for (const line of complete ?? []) {
        markActive();
        if (agent === undefined) agent = acceptAgent(socket, line, deps);
        else if (!socket.destroyed) agent.receive(line);
      }
      if (complete !== undefined) return;
      isTooLong = true;
      agent?.close("it sent a line of more than 8 MiB");
      setTimeout(() => socket.destroy(), agent === undefined ? 0 : CLOSE_GRACE_MS).unref();
    });
  });
}

/** A connection, whether it was accepted or not. */
interface AgentConnection {
  /** Handles a line after the first. */
  receive(line: string): void;
  close(closeReason: string): void;
}

const REJECTED: AgentConnection = { receive: () => {}, close: () => {} };

function acceptAgent(socket: Socket, line: string, deps: AcpDoorDeps): AgentConnection {
  const introduction = parseText(AgentIntroduction, line);
  if (!introduction.ok) {
    const message = `Invalid request: the first line is {"pairpty":{"name":…}} (${introduction.error})`;
    socket.end(
      `${JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_600, message } })}\n`,
    );
    socket.destroySoon();
    return REJECTED;
  }
  try {
    return serveAgent(socket, introduction.value.pairpty, deps);
  } catch (error) {
    if (!(error instanceof UserError)) logFault(deps.log, "letting a coding agent in", error);
    socket.destroy();
    return REJECTED;
  }
}

function serveAgent(
  socket: Socket,
  { name, folder, isolation = "none", prompt, mark, words }: AgentIntroduction["pairpty"],
  deps: AcpDoorDeps,
): AgentConnection {
  const { grants, agents, hub, host } = deps;
  const { grantId, disconnect } = agents.connect(name);
  const send = (message: BridgeLine["pairpty"]) => {
    if (words === true) writeLine(socket, { pairpty: message } satisfies BridgeLine);
  };
  let why: string | undefined;
  let isClosed = false;
  const close = (closeReason: string) => {
    if (socket.destroyed || why !== undefined) return;
    why = closeReason;
    isClosed = true;
    send({ closed: closeReason });
    // Keep reading and drop the input: closing a socket with unread bytes is an error at the other
    // end, which would then miss the last message.
    socket.end();
    setTimeout(() => socket.destroy(), CLOSE_GRACE_MS).unref();
  };
  const caller: Caller = {
    door: ACP_DOOR,
    since: Date.now(),
    grantId,
    grant: () => grants.lookUp(grantId),
    send: () => {},
    close: ({ message: closeReason }: CloseReason) => close(closeReason),
  };
  const messages = new AgentMessages({
    send: (text) => {
      if (socket.destroyed || !socket.writable) return;
      socket.write(`${text}\n`);
      if (socket.writableLength > MAX_UNREAD_BYTES)
        close("it does not read the messages sent to it");
    },
    abort: close,
  });
  const leaveHub = hub.open(caller);
  const unsubscribe =
    prompt === undefined
      ? undefined
      : deps.onApprovalRequested(({ id, agent, command }) => {
          if (agent.grant !== grantId) return;
          send({ asks: { id, what: typeof command === "string" ? command : command.join(" ") } });
        });
  let onGone: ((reason?: string) => void) | undefined;
  // Registered first: cleanup must run whatever fails below.
  socket.on("close", () => {
    unsubscribe?.();
    leaveHub();
    disconnect();
    messages.end();
    onGone?.(why);
    if (mark !== undefined) setTimeout(() => deps.sweep(mark), SWEEP_AFTER_MS).unref();
  });
  send({ here: { link: deps.link } });
  onGone = host.serve(caller, {
    via: "stdio",
    stream: messages.stream,
    folder: folder ?? deps.folder,
    isolation,
    // A sandbox hides pairpty's sockets.
    isLocal: isolation === "none",
    waitForDrain: () =>
      new Promise((resolve) => {
        const done = () => {
          socket.off("drain", done).off("close", done);
          resolve();
        };
        if (!socket.writableNeedDrain || socket.destroyed) resolve();
        else socket.on("drain", done).on("close", done);
      }),
    // Without a prompt, the command does not wait for a turn's end.
    ...(prompt === undefined
      ? {}
      : { prompt, onText: (text) => send({ text }), onTurnEnded: (turn) => send({ turn }) }),
    close,
  });
  const receive = (line: string): void => {
    if (isClosed) return undefined;
    if (!isPairptyLine(line)) return messages.receive(line);
    const goneMessage = parseText(AgentGoneLine, line);
    if (goneMessage.ok) why ??= goneMessage.value.pairpty.gone;
    return undefined;
  };
  return { receive, close };
}
