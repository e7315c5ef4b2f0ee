// Owns the door for remote coding agents: peers of the relay's room whose messages are JSON-RPC.
// Each is one caller and ends with the link; requests in progress are lost then.

import { randomUUID } from "node:crypto";
import * as z from "zod/mini";
import { CloseCode } from "../../../protocol/codes.ts";
import { FrameType } from "../../../protocol/frame-types.ts";
import { parseText, toPayload } from "../../../protocol/json.ts";
import { MAX_AGENT_MESSAGE, MAX_MESSAGE_TO_AGENT } from "../../../protocol/limits.ts";
import type { PeerClose, PeerJoined } from "../../../protocol/link.ts";
import { Pieces } from "../../../protocol/pieces.ts";
import { toBytes, toText } from "../../../protocol/text.ts";
import type { Caller } from "../../callers/caller.ts";
import type { Hub } from "../../callers/hub.ts";
import { LATE_SENTENCE } from "../../callers/late.ts";
import type { AgentsHost } from "../../conversations/wire.ts";
import { logFault } from "../../faults.ts";
import type { GrantTable } from "../../grants/table.ts";
import type { Log } from "../../log.ts";
import { ACP_DOOR } from "./local-door.ts";
import { AgentMessages } from "./messages.ts";
import type { OutboxLink } from "./outbox.ts";
import { Outbox } from "./outbox.ts";
import { Reading, tooLongAnswer } from "./reading.ts";

const MOST_REASON = 120;
const Identified = z.object({ id: z.union([z.string(), z.number(), z.null()]) });

export interface RelayAgentsParts {
  readonly link: OutboxLink;
  readonly grants: Pick<GrantTable, "lookUp">;
  readonly hub: Pick<Hub, "open">;
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

interface Agent {
  readonly pieces: Pieces;
  take(text: string): void;
  close(code: number, sentence: string): void;
  leave(): void;
}

export class RelayAgents {
  readonly #parts: RelayAgentsParts;
  readonly #outbox: Outbox;
  readonly #agents = new Map<number, Agent>();

  constructor(parts: RelayAgentsParts) {
    this.#parts = parts;
    this.#outbox = new Outbox(parts.link);
  }

  has(number: number): boolean {
    return this.#agents.has(number);
  }

  joined(number: number, joined: PeerJoined): void {
    try {
      this.#letIn(number, joined);
    } catch (error) {
      logFault(this.#parts.log, "letting a coding agent in", error);
      this.#end(number, CloseCode.internal, "Internal error in the bridge; see its log.");
    }
  }

  left(number: number): void {
    const agent = this.#agents.get(number);
    if (agent === undefined) return;
    this.#agents.delete(number);
    this.#outbox.forget(number);
    agent.leave();
  }

  /**
   * Handles a message. A late one is not run; its sender would wait for an answer, so the socket is
   * closed.
   */
  message(number: number, { flags, payload, isLate }: AgentPiece): void {
    const agent = this.#agents.get(number);
    if (isLate) return agent?.close(CloseCode.tryLater, LATE_SENTENCE);
    const gathered = agent?.pieces.take(flags, payload);
    if (gathered?.is === "whole") agent?.take(toText(gathered.bytes));
    if (gathered?.is === "torn") agent?.close(CloseCode.internal, "A message of yours was lost.");
    if (gathered?.is === "too long") agent?.close(CloseCode.tooBig, "A message is too long.");
    return undefined;
  }

  /** Removes all agents: the link is gone, and the room closes their sockets. */
  lost(): void {
    this.#outbox.clear();
    for (const number of this.#agents.keys()) this.left(number);
  }

  #letIn(number: number, { grant: grantId, joinedAt }: PeerJoined): void {
    const { grants, hub, host, folder } = this.#parts;
    let why: string | undefined;
    const close = (code: number, sentence: string) => {
      why ??= sentence;
      this.#end(number, code, sentence);
    };
    const caller: Caller = {
      door: ACP_DOOR,
      since: joinedAt,
      grantId,
      grant: () => grants.lookUp(grantId),
      tell: () => {},
      close: ({ sentence }) => close(CloseCode.unauthorized, sentence),
    };
    const reading = new Reading(randomUUID);
    const put = (text: string): void => {
      const bytes = toBytes(text);
      const isTaken = this.#outbox.put(number, bytes);
      const next = reading.sent(bytes.length);
      if (!isTaken || next === "over")
        close(CloseCode.tryLater, "You do not read the messages sent to you.");
      else if (next !== undefined) this.#outbox.put(number, toBytes(next.ask));
    };
    const waiting = new Set<() => void>();
    const wake = () => {
      for (const go of waiting) go();
      waiting.clear();
    };
    const messages = new AgentMessages({
      send: (text) => put(fitting(text)),
      giveUp: (sentence) => close(CloseCode.badMessage, sentence),
    });
    const leaveHub = hub.open(caller);
    let gone: ((why?: string) => void) | undefined;
    // Registered first: cleanup must run whatever fails below.
    this.#agents.set(number, {
      pieces: new Pieces(MAX_AGENT_MESSAGE),
      take: (text) => {
        if (reading.isAnswer(text)) wake();
        else messages.take(text);
      },
      close,
      leave: () => {
        leaveHub();
        messages.end();
        wake();
        gone?.(why);
      },
    });
    gone = host.serve(caller, {
      via: "socket",
      stream: messages.stream,
      folder,
      isolation: caller.grant()?.isolation ?? "none",
      isHere: false,
      drained: () =>
        new Promise((resolve) => {
          if (reading.isBehind && this.#agents.has(number)) waiting.add(resolve);
          else resolve();
        }),
      close: (sentence) => close(CloseCode.normal, sentence),
    });
  }

  #end(number: number, code: number, sentence: string): void {
    const close: PeerClose = { code, reason: sentence.slice(0, MOST_REASON) };
    this.#parts.link.send(FrameType.peerClose, number, toPayload(close));
  }
}

/** Replaces a message that is too long by an error. Only answers can be that long. */
function fitting(text: string): string {
  if (text.length <= MAX_MESSAGE_TO_AGENT / 3) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes <= MAX_MESSAGE_TO_AGENT) return text;
  const parsed = parseText(Identified, text);
  return tooLongAnswer(parsed.ok ? parsed.value.id : null, bytes, MAX_MESSAGE_TO_AGENT);
}
