// Owns the pty dialect as spoken on people's sockets: every message is looked up, checked and
// carried out, or answered with a pty:error. Nothing a peer sends can harm another.

import { CloseCode } from "../../../protocol/codes.ts";
import { FrameType } from "../../../protocol/frame-types.ts";
import { parseText, toPayload } from "../../../protocol/json.ts";
import { MAX_INPUT_CHARS, PEER_DRAINED } from "../../../protocol/limits.ts";
import type {
  Acked,
  ChannelState,
  PeerClose,
  PeerJoined,
  Skipped,
} from "../../../protocol/link.ts";
import { Pong, PtyRequest } from "../../../protocol/pty.ts";
import { toBytes, toText } from "../../../protocol/text.ts";
import type { ChannelTable, LinkSender } from "../../channels/table.ts";
import type { Grant, GrantTable } from "../../grants/table.ts";
import type { TerminalPool } from "../../terminals/pool.ts";
import type { PoolTerminal } from "../../terminals/terminal.ts";
import { Attaching } from "./attaching.ts";
import { Driving } from "./driving.ts";
import type { Peer } from "./peers.ts";
import { PeerTable } from "./peers.ts";
import { Pings } from "./pings.ts";
import { whyNoInput, whyNot } from "./rights.ts";
import { errorWords, resizedWords, terminalsWords } from "./words.ts";

/** How close to its limit an error may repeat a client's own words. */
const QUOTED_CHARS = 60;

export class PtyDialect {
  readonly #pool: TerminalPool;
  readonly #channels: ChannelTable;
  readonly #grants: GrantTable;
  readonly #link: LinkSender;
  readonly #peers = new PeerTable();
  readonly #attaching: Attaching;
  readonly #driving: Driving;
  readonly #pings: Pings;

  constructor(pool: TerminalPool, channels: ChannelTable, grants: GrantTable, link: LinkSender) {
    this.#pool = pool;
    this.#channels = channels;
    this.#grants = grants;
    this.#link = link;
    this.#attaching = new Attaching(pool, channels, this.#peers, link);
    this.#driving = new Driving(channels);
    this.#pings = new Pings(link);
    channels.onBroken = (terminal) => this.#attaching.restart(terminal);
    channels.onFinished = (open) => {
      this.#attaching.finished(open);
      this.#driving.finished(open.terminal.id);
    };
    pool.onEvent((event) => this.#link.send(FrameType.peerSend, 0, toBytes(JSON.stringify(event))));
  }

  get people(): readonly Peer[] {
    return this.#peers.all();
  }

  /** Milliseconds through the room to a person and back; undefined when its client does not answer. */
  ping(number: number): Promise<number | undefined> {
    return this.#pings.ping(number);
  }

  /**
   * The link is up anew: who is in the room, and what each is attached to there. Peers come before
   * channels, so that a channel that lost its place finds those who need a new start.
   */
  reconcile(
    joined: ReadonlyMap<number, PeerJoined>,
    states: ReadonlyMap<number, ChannelState>,
  ): void {
    // What was said last before a cut may not have arrived: of peers it knew, the bridge knows best.
    const before = new Map(this.#peers.all().map(({ number, attached }) => [number, attached]));
    this.#peers.clear();
    for (const [number, peer] of joined) this.joined(number, peer, states, before.get(number));
    this.#channels.reconcile(states);
    for (const open of this.#channels.all()) this.#attaching.closeIfAlone(open.terminal.id);
  }

  joined(
    number: number,
    joined: PeerJoined,
    states: ReadonlyMap<number, ChannelState> = new Map(),
    before?: ReadonlyMap<string, unknown>,
  ): void {
    const peer = this.#peers.add(number, joined);
    const grant = this.#grantOf(peer);
    if (grant === undefined) return;
    const list = terminalsWords(this.#pool.list(), grant.role);
    for (const message of list) this.#tell(peer, message);
    for (const subscription of joined.subscriptions) {
      const key = states.get(subscription.channel)?.key;
      const terminal = key === undefined ? undefined : this.#channels.terminalOf(key);
      if (terminal === undefined) continue;
      this.#attaching.adopt(peer, subscription, terminal);
      if (before?.has(terminal.id) === false) this.#attaching.detach(peer, terminal.id);
    }
    for (const id of before?.keys() ?? []) {
      const terminal = peer.attached.has(id) ? undefined : this.#pool.get(id);
      if (terminal !== undefined) void this.#attaching.attach(peer, terminal);
    }
  }

  left(number: number): Peer | undefined {
    const peer = this.#peers.remove(number);
    if (peer === undefined) return undefined;
    for (const id of peer.attached.keys()) this.#driving.left(peer, id);
    this.#attaching.left(peer);
    return peer;
  }

  skipped(channel: number, { peer: number, attach, sent }: Skipped): void {
    const id = this.#channels.byNumber(channel)?.terminal.id;
    const peer = this.#peers.get(number);
    const attached = id === undefined ? undefined : peer?.attached.get(id);
    if (id === undefined || peer === undefined || attached?.attach !== attach) return;
    peer.attached.set(id, { ...attached, skippedAt: sent });
    // Its last ack may have come before this: then no other one will.
    this.#restartWhenDrained(peer, id, attached.acked ?? 0);
  }

  #restartWhenDrained(peer: Peer, id: string, acked: number): void {
    const terminal = this.#pool.get(id);
    const skippedAt = peer.attached.get(id)?.skippedAt;
    if (terminal === undefined || skippedAt === undefined) return;
    if (acked >= skippedAt - PEER_DRAINED) void this.#attaching.attach(peer, terminal);
  }

  message(number: number, payload: Uint8Array): void {
    const peer = this.#peers.get(number);
    const grant = peer === undefined ? undefined : this.#grantOf(peer);
    if (peer === undefined || grant === undefined) return;
    const text = toText(payload);
    const parsed = parseText(PtyRequest, text);
    if (!parsed.ok) {
      const pong = parseText(Pong, text);
      if (pong.ok) return this.#pings.answered(number, pong.value.n);
      return this.#tell(peer, explain(text, parsed.error));
    }
    const request = parsed.value;
    const refusal = whyNot(grant.role, request.type);
    if (refusal !== undefined)
      return this.#tell(peer, errorWords("forbidden", refusal, request.id));
    const terminal = this.#pool.get(request.id);
    if (terminal === undefined) {
      return this.#tell(peer, errorWords("not_found", "Session not found", request.id));
    }
    return this.#carryOut(peer, terminal, request);
  }

  #carryOut(peer: Peer, terminal: PoolTerminal, request: PtyRequest): void {
    switch (request.type) {
      case "pty:attach": {
        const { epoch, offset } = request;
        this.#driving.left(peer, terminal.id);
        const place = epoch === undefined || offset === undefined ? undefined : { epoch, offset };
        return void this.#attaching.attach(peer, terminal, place);
      }
      case "pty:detach":
        this.#driving.left(peer, terminal.id);
        return this.#attaching.detach(peer, terminal.id);
      case "pty:input": {
        const refusal = whyNoInput(terminal);
        if (refusal !== undefined) {
          return this.#tell(peer, errorWords("forbidden", refusal, terminal.id));
        }
        this.#driving.typed(peer, terminal);
        return this.#pool.input(terminal, toBytes(request.data));
      }
      case "pty:resize":
        return this.resize(terminal, request.cols, request.rows);
      case "pty:close":
        return void this.#pool.close(terminal, `asked by ${peer.grant}`);
      case "pty:ack":
        return this.#ack(peer, terminal, request.offset);
      case "pty:view":
      case "pty:drive":
      case "pty:ask":
      case "pty:give":
        return undefined;
    }
  }

  resize(terminal: PoolTerminal, cols: number, rows: number): void {
    if (terminal.cols === cols && terminal.rows === rows) return;
    this.#pool.resize(terminal, cols, rows);
    this.#channels.find(terminal.id)?.channel.event(resizedWords(terminal.id, cols, rows));
  }

  #ack(peer: Peer, terminal: PoolTerminal, offset: number): void {
    const attached = peer.attached.get(terminal.id);
    if (attached?.channel === undefined) return;
    const { attach, channel, skippedAt } = attached;
    peer.attached.set(terminal.id, { ...attached, acked: offset });
    if (skippedAt !== undefined) return this.#restartWhenDrained(peer, terminal.id, offset);
    this.#driving.acked(peer, terminal, offset);
    const acked: Acked = { peer: peer.number, attach, offset };
    return this.#link.send(FrameType.acked, channel, toPayload(acked));
  }

  /** Every message asks again: a grant may have been revoked or have run out since. */
  #grantOf(peer: Peer): Grant | undefined {
    const grant = this.#grants.lookUp(peer.grant);
    if (grant !== undefined) return grant;
    const close: PeerClose = {
      code: CloseCode.unauthorized,
      reason: "this link has expired or was revoked",
    };
    this.#link.send(FrameType.peerClose, peer.number, toPayload(close));
    return undefined;
  }

  #tell(peer: Peer, message: string): void {
    this.#link.send(FrameType.peerSend, peer.number, toBytes(message));
  }
}

/** The sentence for a message that fits no schema, with its id if it had one. */
function explain(text: string, problem: string): string {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return errorWords("bad_request", "The message is not JSON");
  }
  if (typeof data !== "object" || data === null || !("type" in data)) {
    return errorWords("bad_request", "The message is not an object with a type");
  }
  const id = "id" in data && typeof data.id === "string" ? data.id.slice(0, 64) : undefined;
  const type = String(data.type).slice(0, QUOTED_CHARS);
  if (type === "pty:input" && "data" in data && typeof data.data === "string") {
    if (data.data.length > MAX_INPUT_CHARS) {
      const error = `Input of ${data.data.length} characters is over ${MAX_INPUT_CHARS}; send it in pieces`;
      return errorWords("too_large", error, id);
    }
  }
  const known = PtyRequest.def.options.some((option) => option.shape.type.def.values[0] === type);
  if (!known) return errorWords("bad_request", `Unknown message type: ${type}`, id);
  return errorWords("bad_request", `${type}: ${problem}`, id);
}
