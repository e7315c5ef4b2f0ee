// Owns the door for coding agents on this machine: `acp.sock`, where `pairpty agent` forwards its
// agent's messages, one caller per connection. Processes that the agent leaves behind are killed
// after its connection ends. Does not start agents and does not know ACP's methods.

import type { Socket } from "node:net";
import type { Approval } from "../../../protocol/approval.ts";
import { parseText } from "../../../protocol/json.ts";
import { MiB } from "../../../protocol/limits.ts";
import type { Caller, Dismissal, Door } from "../../callers/caller.ts";
import type { Hub } from "../../callers/hub.ts";
import type { AgentsHost } from "../../conversations/wire.ts";
import { UserError } from "../../errors.ts";
import { logFault } from "../../faults.ts";
import type { LocalAgents } from "../../grants/local-agents.ts";
import type { GrantTable } from "../../grants/table.ts";
import { writeLine } from "../../local/json-lines.ts";
import { Lines } from "../../local/lines.ts";
import { closeIfSilent, LocalSocket } from "../../local/socket.ts";
import type { Log } from "../../log.ts";
import { AgentMessages } from "./messages.ts";
import { AgentGone, AgentIntroduction, isWords } from "./words.ts";
import type { BridgeWords } from "./words.ts";

/** A file of 4 MiB, quoted as JSON. */
const MOST_LINE = 8 * MiB;
/** Unread bytes after which an agent is closed. */
const MOST_UNREAD = 32 * MiB;
/** Time for a closed agent to read the last message. */
const LAST_WORDS_MS = 1_000;
/** `pairpty agent` kills its agent itself, but may have been killed. */
export const SWEEP_AFTER_MS = 3_000;

export interface AcpDoorParts {
  readonly grants: Pick<GrantTable, "lookUp">;
  readonly agents: Pick<LocalAgents, "arrive">;
  readonly hub: Pick<Hub, "open">;
  readonly host: AgentsHost;
  /** Folder of the workspace. */
  readonly folder: string;
  /** Address of this room's page. */
  readonly link: string;
  /** Fires when people are asked for an approval. Returns how to unsubscribe. */
  readonly onAsked: (listener: (approval: Approval) => void) => () => void;
  /** Kills every process with this tag. */
  readonly sweep: (mark: string) => void;
  readonly log: Pick<Log, "error">;
}

/** Agents send requests and get no messages about the room. */
export const ACP_DOOR: Door = { name: "acp", tellAll: () => {} };

export function acpDoor(parts: AcpDoorParts): LocalSocket {
  return new LocalSocket((socket) => {
    const spoke = closeIfSilent(socket);
    let agent: Connected | undefined;
    const lines = new Lines(MOST_LINE);
    let isTooLong = false;
    socket.on("data", (chunk: Buffer) => {
      if (isTooLong) return;
      const complete = lines.push(chunk);
      for (const line of complete ?? []) {
        spoke();
        if (agent === undefined) agent = letIn(socket, line, parts);
        else if (!socket.destroyed) agent.take(line);
      }
      if (complete !== undefined) return;
      isTooLong = true;
      agent?.close("it sent a line of more than 8 MiB");
      setTimeout(() => socket.destroy(), agent === undefined ? 0 : LAST_WORDS_MS).unref();
    });
  });
}

/** A connection, whether it was accepted or not. */
interface Connected {
  /** Handles a line after the first. */
  take(line: string): void;
  close(sentence: string): void;
}

const NOBODY: Connected = { take: () => {}, close: () => {} };

function letIn(socket: Socket, line: string, parts: AcpDoorParts): Connected {
  const said = parseText(AgentIntroduction, line);
  if (!said.ok) {
    const message = `Invalid request: the first line is {"pairpty":{"name":…}} (${said.error})`;
    socket.end(
      `${JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32_600, message } })}\n`,
    );
    socket.destroySoon();
    return NOBODY;
  }
  try {
    return serve(socket, said.value.pairpty, parts);
  } catch (error) {
    if (!(error instanceof UserError)) logFault(parts.log, "letting a coding agent in", error);
    socket.destroy();
    return NOBODY;
  }
}

function serve(
  socket: Socket,
  { name, folder, isolation = "none", prompt, mark, words }: AgentIntroduction["pairpty"],
  parts: AcpDoorParts,
): Connected {
  const { grants, agents, hub, host } = parts;
  const { grantId, leave } = agents.arrive(name);
  const say = (said: BridgeWords["pairpty"]) => {
    if (words === true) writeLine(socket, { pairpty: said } satisfies BridgeWords);
  };
  let why: string | undefined;
  let isClosed = false;
  const close = (sentence: string) => {
    if (socket.destroyed || why !== undefined) return;
    why = sentence;
    isClosed = true;
    say({ closed: sentence });
    // Keep reading and drop the input: closing a socket with unread bytes is an error at the other
    // end, which would then miss the last message.
    socket.end();
    setTimeout(() => socket.destroy(), LAST_WORDS_MS).unref();
  };
  const caller: Caller = {
    door: ACP_DOOR,
    since: Date.now(),
    grantId,
    grant: () => grants.lookUp(grantId),
    tell: () => {},
    close: ({ sentence }: Dismissal) => close(sentence),
  };
  const messages = new AgentMessages({
    send: (text) => {
      if (socket.destroyed || !socket.writable) return;
      socket.write(`${text}\n`);
      if (socket.writableLength > MOST_UNREAD) close("it does not read the messages sent to it");
    },
    giveUp: close,
  });
  const leaveHub = hub.open(caller);
  const unask =
    prompt === undefined
      ? undefined
      : parts.onAsked(({ id, agent, command }) => {
          if (agent.grant !== grantId) return;
          say({ asks: { id, what: typeof command === "string" ? command : command.join(" ") } });
        });
  let gone: ((reason?: string) => void) | undefined;
  // Registered first: cleanup must run whatever fails below.
  socket.on("close", () => {
    unask?.();
    leaveHub();
    leave();
    messages.end();
    gone?.(why);
    if (mark !== undefined) setTimeout(() => parts.sweep(mark), SWEEP_AFTER_MS).unref();
  });
  say({ here: { link: parts.link } });
  gone = host.serve(caller, {
    via: "stdio",
    stream: messages.stream,
    folder: folder ?? parts.folder,
    isolation,
    // A sandbox hides pairpty's sockets.
    isHere: isolation === "none",
    drained: () =>
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
      : { prompt, onText: (text) => say({ text }), onTurnEnded: (turn) => say({ turn }) }),
    close,
  });
  const take = (line: string): void => {
    if (isClosed) return undefined;
    if (!isWords(line)) return messages.take(line);
    const told = parseText(AgentGone, line);
    if (told.ok) why ??= told.value.pairpty.gone;
    return undefined;
  };
  return { take, close };
}
