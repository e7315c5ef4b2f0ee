// Owns the door for remote coding agents: peers of the relay's room whose messages are JSON-RPC.
// Each is one caller and ends with the link; requests in progress are lost then.

import { randomUUID } from "node:crypto";
import * as z from "zod/mini";
import { CloseCode } from "../../../protocol/codes.ts";
import { FrameType } from "../../../protocol/frame-types.ts";
import { parseText, toPayload } from "../../../protocol/json.ts";
import { MAX_AGENT_MESSAGE, MAX_MESSAGE_TO_AGENT } from "../../../protocol/limits.ts";
import type { PeerClose, PeerJoined } from "../../../protocol/link.ts";
import { PieceCollector } from "../../../protocol/link.ts";
import { toBytes, toText } from "../../../protocol/text.ts";
import type { Caller, Door } from "../../callers/caller.ts";
import type { Hub } from "../../callers/hub.ts";
import { LATE_MESSAGE } from "../../callers/late-notices.ts";
import type { AgentsHost } from "../../conversations/agent-ports.ts";
import { logFault } from "../../faults.ts";
import type { GrantTable } from "../../grants/grant-table.ts";
import type { Log } from "../../log.ts";
import { CLOSE_CODES } from "../close-codes.ts";
import { AgentMessages } from "./agent-messages.ts";
import type { OutboxLink } from "./agent-outbox.ts";
import { AgentOutbox, ReadProof, encodeTooLongError } from "./agent-outbox.ts";

const MAX_REASON = 120;

const RELAY_ACP_DOOR: Door = { name: "acp", proof: "ticket", sendAll: () => {} };
const WithId = z.object({ id: z.union([z.string(), z.number(), z.null()]) });

export interface RelayAgentsDeps {
  readonly link: OutboxLink;
  readonly grants: Pick<GrantTable, "lookUp">;
  readonly hub: Pick<Hub, "isOpen" | "open">;
  readonly host: AgentsHost;
  /** Folder of the workspace. */
  readonly folder: string;
  readonly log: Pick<Log, "error">;
}

/** A message from an agent, or a piece of one. */
export interface AgentPiece {
  readonly flags: number;
  readonly payload: Uint8Array;
  readonly isLate: boolean;
}

interface RelayAgent {
  readonly pieces: PieceCollector;
  receive(text: string): void;
  close(code: number, reason: string): void;
  leave(): void;
}

export class RelayAgents {
  readonly #deps: RelayAgentsDeps;
  readonly #outbox: AgentOutbox;
  readonly #agents = new Map<number, RelayAgent>();

  constructor(deps: RelayAgentsDeps) {
    this.#deps = deps;
    this.#outbox = new AgentOutbox(deps.link);
  }

  has(number: number): boolean {
    return this.#agents.has(number);
  }

  onJoined(number: number, joined: PeerJoined): void {
    // A room that names a number twice replaces its agent.
    this.onLeft(number);
    try {
      this.#acceptAgent(number, joined);
    } catch (error) {
      logFault(this.#deps.log, "letting a coding agent in", error);
      this.#closePeer(number, CloseCode.internal, "Internal error in the bridge; see its log.");
    }
  }

  onLeft(number: number): void {
    const agent = this.#agents.get(number);
    if (agent === undefined) return;
    this.#agents.delete(number);
    this.#outbox.removeAgent(number);
    agent.leave();
  }

  /**
   * Handles a message. A late one is not run; its sender would wait for an answer, so the socket is
   * closed.
   */
  onMessage(number: number, { flags, payload, isLate }: AgentPiece): void {
    const agent = this.#agents.get(number);
    if (isLate) return agent?.close(CloseCode.tryLater, LATE_MESSAGE);
    const gathered = agent?.pieces.take(flags, payload);
    if (gathered?.is === "whole") agent?.receive(toText(gathered.bytes));
    if (gathered?.is === "torn") agent?.close(CloseCode.internal, "A message of yours was lost.");
    if (gathered?.is === "too long") agent?.close(CloseCode.tooBig, "A message is too long.");
    return undefined;
  }

  /** Removes all agents: the link is gone, and the room closes their sockets. */
  onLinkLost(): void {
    this.#outbox.clear();
    for (const number of this.#agents.keys()) this.onLeft(number);
  }

  #acceptAgent(number: number, { grant: grantId, ticket, joinedAt }: PeerJoined): void {
    const { grants, hub, host, folder } = this.#deps;
    let why: string | undefined;
    const close = (code: number, reason: string) => {
      why ??= reason;
      this.#closePeer(number, code, reason);
    };
    const caller: Caller = {
      door: RELAY_ACP_DOOR,
      since: joinedAt,
      grantId,
      ticket,
      grant: () => grants.lookUp(grantId),
      send: () => {},
      close: ({ why: cause, message }) => {
        close(CLOSE_CODES[cause], message);
        // Gone at once, whether or not the room closes it.
        this.onLeft(number);
      },
    };
    const readProof = new ReadProof(randomUUID);
    const put = (text: string): void => {
      const bytes = toBytes(text);
      const isTaken = this.#outbox.enqueue(number, bytes);
      const next = readProof.countSent(bytes.length);
      if (!isTaken || next === "over")
        close(CloseCode.tryLater, "You do not read the messages sent to you.");
      else if (next !== undefined) this.#outbox.enqueue(number, toBytes(next.ask));
    };
    const waiting = new Set<() => void>();
    const wake = () => {
      for (const resume of waiting) resume();
      waiting.clear();
    };
    const messages = new AgentMessages({
      send: (text) => put(replaceIfTooLong(text)),
      abort: (reason) => close(CloseCode.badMessage, reason),
    });
    const leaveHub = hub.open(caller);
    if (!hub.isOpen(caller)) return leaveHub();
    let onGone: ((why?: string) => void) | undefined;
    // Registered first: cleanup must run whatever fails below.
    this.#agents.set(number, {
      pieces: new PieceCollector(MAX_AGENT_MESSAGE),
      receive: (text) => {
        if (readProof.isAnswer(text)) wake();
        else messages.receive(text);
      },
      close,
      leave: () => {
        leaveHub();
        messages.end();
        wake();
        onGone?.(why);
      },
    });
    onGone = host.serve(caller, {
      via: "socket",
      stream: messages.stream,
      folder,
      isolation: caller.grant()?.isolation ?? "none",
      isLocal: false,
      waitForDrain: () =>
        new Promise((resolve) => {
          if (readProof.isUnanswered && this.#agents.has(number)) waiting.add(resolve);
          else resolve();
        }),
      close: (reason) => close(CloseCode.normal, reason),
    });
  }

  #closePeer(number: number, code: number, reason: string): void {
    const close: PeerClose = { code, reason: reason.slice(0, MAX_REASON) };
    this.#deps.link.send(FrameType.peerClose, number, toPayload(close));
  }
}

/** Replaces a message that is too long by an error. Only answers can be that long. */
function replaceIfTooLong(text: string): string {
  if (text.length <= MAX_MESSAGE_TO_AGENT / 3) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_MESSAGE_TO_AGENT) return text;
  const parsed = parseText(WithId, text);
  return encodeTooLongError(parsed.ok ? parsed.value.id : null, bytes, MAX_MESSAGE_TO_AGENT);
}
