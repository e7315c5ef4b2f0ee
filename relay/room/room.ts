// Owns one workspace's room: its sockets, what each may do, and where each frame goes. Does not
// know terminals, tools or commands. From a message to its sends everything is synchronous: a
// handler that awaits loses the order and disables the runtime's back-pressure.

import type { ConnectionContext } from "partyserver";
import { Server } from "partyserver";
import { CloseCode } from "../../protocol/codes.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import {
  AGENT_BYTES_PER_RATE_UNIT,
  MAX_FRAME_PAYLOAD,
  NUDGE_AFTER_QUIET_MS,
  PEER_MESSAGES_PER_SECOND,
  LINK_VERSION,
} from "../../protocol/limits.ts";
import type { Farewell } from "../../protocol/link.ts";
import { cutIntoPieces, encodeStamped, STAMP_BYTES } from "../../protocol/link.ts";
import type { ChannelAck } from "../../protocol/output.ts";
import { encodeAckList } from "../../protocol/output.ts";
import { logFault, refuse } from "../edge/error-responses.ts";
import type { BridgeVerdict } from "../edge/bridge-socket.ts";
import type { RoomRequestInfo } from "../edge/room-request.ts";
import { readRoomRequest } from "../edge/room-request.ts";
import type { Env } from "../env.ts";
import type { Admission } from "./admission.ts";
import { RoomAlarm } from "./alarm.ts";
import {
  admit,
  BRIDGE_AWAY_MESSAGE,
  BRIDGE_SILENT_MESSAGE,
  INTERNAL_ERROR,
  toRefusalResponse,
} from "./admission.ts";
import type { Socket, SocketState } from "./socket-state.ts";
import { splitChannels } from "./socket-state.ts";
import { BridgeDoor } from "./bridge-door.ts";
import { BridgeWatch } from "./bridge-watch.ts";
import { Channels } from "./channels.ts";
import type { Candidate } from "./takeover-candidates.ts";
import { storeCounts, takeCounts } from "./received-counts.ts";
import { GrantList, nextExpiry } from "./grants.ts";
import type { LinkLoss } from "./farewell.ts";
import { toAwayFacts } from "./farewell.ts";
import type { Refusal } from "./hello.ts";
import { Link } from "./link.ts";
import { LinkFrames } from "./link-frames.ts";
import { isInactive } from "./inactive-peers.ts";
import { readAgentMessage, readPeerMessage } from "./peer-messages.ts";
import type { AwayState } from "./peers.ts";
import { encodeBridgeState, Peer, Peers } from "./peers.ts";
import { NOTHING_SENT } from "./read-proof.ts";
import { Records, withoutChannels, dropUnclaimedNames, readName, storeName } from "./records.ts";
import { CHECK_EVERY_MS } from "./bridge-liveness.ts";
import { closeSocket, closeAndRecord, trySend } from "./sockets.ts";
import { Tunnel } from "./tunnel.ts";

/** Short enough for a close frame. */
const UNREAD_MESSAGE =
  "16 MiB were sent without proof that you read them: answer pairpty:ping (raw: proof).";
const INACTIVE_MESSAGE = "The room is full, and you sent nothing for a minute, not even a ping.";
const LINK_LOST_MESSAGE = "This workspace's bridge lost its connection: connect again.";
const GIVEN_UP_MESSAGE = "This link did not answer for 10 minutes: connect again.";
const TOO_FAST_MESSAGE = `More than ${PEER_MESSAGES_PER_SECOND} messages a second: send fewer, or larger ones.`;

/** The runtime's code for a connection that ended without a close frame. */
const CUT_CODE = 1006;

export class WorkspaceRoom extends Server<Env> {
  static override options = { hibernate: true };

  readonly #records: Records;
  readonly #peers = new Peers();
  readonly #channels = new Channels();
  readonly #onUnread = (peer: Peer) => this.#closePeer(peer, CloseCode.tryLater, UNREAD_MESSAGE);
  readonly #tunnel: Tunnel;
  readonly #frames: LinkFrames;
  readonly #bridgeDoor: BridgeDoor;
  readonly #grants: GrantList;
  readonly #watch: BridgeWatch;
  readonly #alarm: RoomAlarm;
  /**
   * Requests that our handlers answered. Any other answer is partyserver's, and contains a stack.
   */
  readonly #served = new WeakSet<Request>();
  #link: Link | undefined;
  /** Ticket for the received counts, in case the room hibernates. */
  #countsTicket: string | undefined;
  /** Why there is no link, and since when, if known. */
  #away: AwayState = {};

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#records = new Records(ctx.storage);
    this.#grants = new GrantList(this.#records);
    this.#tunnel = new Tunnel(() => this.#records.nextNumber());
    this.#frames = new LinkFrames({
      peers: this.#peers,
      channels: this.#channels,
      tunnel: this.#tunnel,
      onChannelsChanged: () => this.#saveLink(),
      onFarewell: (farewell) => this.#onFarewell(farewell),
      grants: this.#grants,
      closePeer: (peer, code, reason) => this.#closePeer(peer, code, reason),
    });
    this.#bridgeDoor = new BridgeDoor({
      records: this.#records,
      rules: {
        loopback: env.LOOPBACK_PORT !== undefined && env.TUNNEL_HOST === undefined,
        // workerd gives null for a variable that its environment does not have.
        relayKey: env.RELAY_KEY ?? undefined,
      },
      workspace: () => this.name,
      link: () => this.#link,
      accept: (candidate, old) => this.#accept(candidate, old),
      // Also deletes the name that partyserver stores for every room. Skipped when empty: deleting
      // is a write, too.
      onUnused: () => {
        if (this.#records.isEmpty) return;
        ctx.waitUntil(ctx.storage.deleteAll());
      },
    });
    this.#alarm = new RoomAlarm(ctx.storage, () => [
      nextExpiry(this.#grants.all),
      this.#nextBridgeCheck(),
    ]);
    this.#watch = new BridgeWatch({
      getPingedAt: () => {
        const socket = this.#link?.socket;
        return socket && ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime();
      },
      nudge: () => this.#link?.send(FrameType.nudge, 0),
      onSilent: (since) => this.#onSilent(since),
      onRecovered: () => this.#onRecovered(),
      onGivenUp: () => this.#onGivenUp(),
    });
    dropUnclaimedNames(ctx.storage, () => this.#bridgeDoor.isClaimed);
    // Answered by the runtime without waking the room.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    this.#restore();
  }

  /** Restores all sockets after hibernation, before the runtime delivers any event. */
  #restore(): void {
    const sockets = [...this.getConnections<SocketState>()];
    for (const socket of sockets) {
      const { state } = socket;
      if (state?.kind === "greeting") this.#bridgeDoor.resume(socket, state);
      if (state?.kind !== "link") continue;
      this.#link = new Link(socket, state);
      this.#watch.resume(state.silentSince);
      const entries = [...state.channels, ...this.#records.overflowChannels];
      const counts = takeCounts(state.counts);
      for (const entry of entries) {
        this.#channels.restore({ entry, received: counts.get(entry[0])?.received ?? null });
      }
      this.#saveLink();
    }
    if (this.#link === undefined) {
      const away = this.#records.away;
      this.#away = withoutChannels(away);
      for (const stored of away?.channels ?? []) this.#channels.restore(stored);
    }
    for (const socket of sockets) {
      const { state } = socket;
      if (state?.kind === "gone" && state.grant) this.#peers.addLeaving(socket, state.grant);
      if (state?.kind !== "peer") continue;
      const peer = new Peer(socket, state, this.#onUnread);
      this.#peers.add(peer);
      for (const entry of state.subscriptions) this.#channels.restoreSubscription(peer, entry);
    }
  }

  override async fetch(request: Request): Promise<Response> {
    const info = readRoomRequest(request);
    try {
      // Checked before partyserver, which stores a name for every room that it handles.
      const admission =
        info.door === "bridge" ? this.#bridgeDoor.findRefusal(info) : this.#admit(info);
      if (admission?.ok === false) return toRefusalResponse(admission);
      const response = await super.fetch(request);
      if (this.#served.delete(request)) return response;
    } catch (error) {
      logFault("room", error);
    }
    return toRefusalResponse(INTERNAL_ERROR);
  }

  /** Resolves with the verdict on a bridge's socket, for the Worker, which can cut it off. */
  verdictOn(id: string): Promise<BridgeVerdict> {
    return this.#bridgeDoor.verdictOn(id);
  }

  override onConnect(socket: Socket, { request }: ConnectionContext): void {
    const info = readRoomRequest(request);
    if (info.door === "bridge") this.#bridgeDoor.challenge(socket, info);
    else this.#onPeerConnected(socket, info);
    this.#served.add(request);
  }

  override async onRequest(request: Request): Promise<Response> {
    const response = await this.#answer(request, readRoomRequest(request));
    this.#served.add(request);
    return response;
  }

  async #answer(request: Request, info: RoomRequestInfo): Promise<Response> {
    // Checked again: time has passed while partyserver started.
    const admission = this.#admit(info);
    if (!admission.ok) return toRefusalResponse(admission);
    this.#checkBridge();
    if (this.#link === undefined) {
      return refuse("bridge_away", BRIDGE_AWAY_MESSAGE, this.#away.since);
    }
    const { silentSince } = this.#watch;
    if (silentSince !== undefined) {
      return refuse("bridge_away", BRIDGE_SILENT_MESSAGE, silentSince);
    }
    return this.#tunnel.forward(this.#link, request, admission, info.path ?? "/");
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    try {
      if (socket === this.#link?.socket) return this.#onLinkMessage(this.#link, message);
      const peer = this.#peers.findBySocket(socket);
      if (peer !== undefined) return this.#onPeerMessage(peer, message);
      if (this.#bridgeDoor.isPending(socket))
        return await this.#bridgeDoor.onHello(socket, message);
      this.#bridgeDoor.onStrayMessage(socket, message);
    } catch (error) {
      logFault("message", error);
      this.#onSocketClosed(socket);
      closeSocket(socket, CloseCode.internal, INTERNAL_ERROR.error);
    }
    return undefined;
  }

  override async webSocketClose(socket: WebSocket, code: number, reason: string): Promise<void> {
    this.#onSocketClosed(socket, code === CUT_CODE);
    // Also needed when no close frame came, or the socket stays half open.
    closeSocket(socket, code, reason);
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    this.#onSocketClosed(socket, true);
    closeSocket(socket, CloseCode.internal, "The connection broke.");
  }

  /** Handles the room's alarm: expired grants, and the check of a bridge that people watch. */
  override onAlarm(): void {
    const expiry = nextExpiry(this.#grants.all);
    if (expiry !== undefined && expiry <= Date.now()) this.#applyGrants(true);
    // A healthy bridge pings after 20 s of quiet, so it was active within the last half minute.
    if (this.#peers.size > 0) this.#checkBridge(this.lookEveryMs / 2);
    this.#setAlarm();
  }

  /** Returns how often the room checks whether a bridge that people watch is silent. */
  get lookEveryMs(): number {
    return CHECK_EVERY_MS;
  }

  #checkBridge(quietMs = NUDGE_AFTER_QUIET_MS): void {
    if (this.#link !== undefined) this.#watch.check(quietMs, Date.now());
  }

  /** Handles a silent bridge. The link stays open, and any message ends the silence. */
  #onSilent(since: number): void {
    const link = this.#link;
    if (link === undefined) return;
    this.#saveLink();
    this.#tunnel.refuseWaiting(link, {
      reason: BRIDGE_SILENT_MESSAGE,
      code: "bridge_away",
      since,
    });
    this.#peers.broadcast(this.#bridgeState());
    this.#log(link, "silent: it did not answer a nudge");
  }

  #onRecovered(): void {
    const link = this.#link;
    if (link === undefined) return;
    this.#saveLink();
    this.#peers.broadcast(this.#bridgeState());
    link.send(FrameType.greetAgain, 0);
    this.#setAlarm();
    this.#log(link, "answers again");
  }

  #onGivenUp(): void {
    const link = this.#link;
    if (link === undefined) return;
    this.#endLink(link, { code: CloseCode.tryLater, reason: GIVEN_UP_MESSAGE });
    this.#onLinkLost(link);
  }

  #onLinkMessage(link: Link, message: string | ArrayBuffer): void {
    this.#watch.recordMessage(Date.now());
    this.#bridgeDoor.onLinkMessage();
    const complaint = this.#frames.onMessage(link, message);
    this.#applyGrants();
    if (complaint === undefined) return;
    this.#endLink(link, complaint);
    this.#onLinkLost(link);
  }

  #onPeerMessage(peer: Peer, message: string | ArrayBuffer): void {
    const now = Date.now();
    if (!peer.rate.tryTake(now)) {
      return this.#closePeer(peer, CloseCode.tooFast, TOO_FAST_MESSAGE);
    }
    peer.recordMessage();
    this.#checkBridge();
    if (peer.isAgent) return this.#onAgentMessage(peer, message);
    const parsed = readPeerMessage(peer.raw, message);
    if (parsed.is === "refused") {
      return this.#closePeer(peer, parsed.refusal.code, parsed.refusal.reason);
    }
    const isProof = parsed.proof !== undefined && peer.acceptProof(parsed.proof);
    if (parsed.is === "acks") return this.#onAcks(peer, parsed.acks);
    if (isProof) return undefined;
    // Plain clients need not know pings, and a client that may type has easier ways to do harm.
    if (!peer.raw && peer.isPinged && this.#grants.canType(peer.grant)) peer.trust();
    // Not kept for later: a keystroke from a minute ago must not run now. While a nudge is pending
    // it is sent: its timestamp tells the bridge how old it is.
    if (this.#link === undefined || this.#watch.silentSince !== undefined) {
      trySend(peer.socket, this.#bridgeState());
    } else {
      this.#link.send(FrameType.peerMessage, peer.number, encodeStamped(now, parsed.bytes));
    }
    return undefined;
  }

  /**
   * Handles an agent's message. It shows the room only that the agent is alive; the bridge checks
   * that it reads [AC54].
   */
  #onAgentMessage(peer: Peer, message: string | ArrayBuffer): void {
    const parsed = readAgentMessage(message);
    if (parsed.is === "refused") {
      return this.#closePeer(peer, parsed.refusal.code, parsed.refusal.reason);
    }
    if (parsed.is !== "text") return undefined;
    peer.rate.charge(parsed.bytes.length / AGENT_BYTES_PER_RATE_UNIT);
    if (peer.hasMuchUnread) peer.trust();
    const link = this.#link;
    // A dropped request would wait forever.
    if (this.#watch.silentSince !== undefined) {
      return this.#closePeer(peer, CloseCode.tryLater, BRIDGE_SILENT_MESSAGE);
    }
    const now = Date.now();
    return link?.batch(() => {
      for (const { flags, payload } of cutIntoPieces(
        parsed.bytes,
        MAX_FRAME_PAYLOAD - STAMP_BYTES,
      )) {
        link.send(FrameType.peerMessage, peer.number, encodeStamped(now, payload), flags);
      }
    });
  }

  #onAcks(peer: Peer, acks: readonly ChannelAck[]): void {
    const link = this.#link;
    const forBridge = this.#channels.applyRawAcks(link, peer, acks);
    if (forBridge.length > 0) link?.send(FrameType.acks, peer.number, encodeAckList(forBridge));
  }

  #accept({ socket, hello }: Candidate, old?: Refusal): void {
    if (this.#link !== undefined && old !== undefined) this.#endLink(this.#link, old);
    this.#closeAgents();
    const link = new Link(socket, hello);
    this.#link = link;
    // Stored together with the claim, before anything sets an alarm.
    storeName(this.ctx.storage, this.name);
    this.#watch.restart(Date.now());
    this.#away = {};
    this.#records.away = undefined;
    this.#records.farewell = undefined;
    this.#grants.isEnding = false;
    this.#saveLink();
    link.batch(() => {
      link.sendJson(FrameType.accepted, 0, { version: LINK_VERSION, now: Date.now() });
      this.#channels.sendStates(link);
      for (const peer of this.#peers.all()) {
        link.sendJson(FrameType.peerJoined, peer.number, peer.describe());
      }
      link.send(FrameType.caughtUp, 0);
    });
    this.#peers.broadcast(this.#bridgeState());
    this.#setAlarm();
    this.#log(link, `up, ${JSON.stringify(hello.software)}`);
  }

  #endLink(link: Link, { code, reason }: Refusal): void {
    closeAndRecord(link.socket, code, reason);
    this.#tunnel.abandon(link, Date.now());
    this.#log(link, `ended: ${code} ${reason}`);
  }

  #onFarewell(farewell: Farewell): void {
    this.#records.farewell = farewell;
    if (farewell.state !== "ended" && farewell.state !== "left") return;
    // Sent before peers' links or their tunnel end, so that they get the real reason.
    this.#grants.isEnding = farewell.state === "ended";
    this.#away = {
      since: Date.now(),
      ...toAwayFacts(farewell, this.#toLinkLoss(Date.now(), false)),
    };
    this.#peers.broadcast(encodeBridgeState(this.#away));
  }

  #toLinkLoss(since: number, isCut: boolean): LinkLoss {
    return { since, isCut, isOneMachine: this.env.LOOPBACK_PORT !== undefined };
  }

  #onLinkLost(link: Link, isCut = false): void {
    const since = this.#away.since ?? this.#watch.silentSince ?? Date.now();
    this.#link = undefined;
    this.#watch.restart(0);
    this.#closeAgents();
    takeCounts(this.#countsTicket);
    this.#countsTicket = undefined;
    const facts = toAwayFacts(this.#records.farewell, this.#toLinkLoss(since, isCut));
    this.#away = { since, ...facts };
    this.#records.away = { since, ...facts, channels: this.#channels.toStored() };
    this.#tunnel.abandon(link, since);
    // These offsets are exact now, since nothing is under way; after hibernation they would be
    // lower bounds.
    for (const peer of this.#peers.all()) if (peer.subscriptions.size > 0) peer.save();
    if (!this.#bridgeDoor.onLinkLost()) this.#peers.broadcast(this.#bridgeState());
  }

  /** Closes agents' sockets: messages under way were lost with the link. */
  #closeAgents(): void {
    for (const peer of this.#peers.all()) {
      if (peer.isAgent) this.#closePeer(peer, CloseCode.tryLater, LINK_LOST_MESSAGE);
    }
  }

  #saveLink(): void {
    const link = this.#link;
    if (link === undefined) return;
    const { inside, beyond } = splitChannels(this.#channels.entries());
    const { instance, epoch } = link;
    this.#countsTicket ??= storeCounts(this.#channels.counts);
    const [counts, { silentSince }] = [this.#countsTicket, this.#watch];
    link.socket.setState({
      kind: "link",
      instance,
      epoch,
      channels: inside,
      counts,
      ...(silentSince === undefined ? {} : { silentSince }),
    });
    this.#records.overflowChannels = beyond;
  }

  #onPeerConnected(socket: Socket, info: RoomRequestInfo): void {
    const admission = this.#admit(info);
    if (!admission.ok) return closeAndRecord(socket, admission.close, admission.error);
    const state = {
      kind: "peer",
      number: this.#records.nextNumber(),
      grant: admission.grant,
      ticket: admission.ticket,
      joinedAt: Date.now(),
      raw: info.raw === true,
      ...(info.door === "acp" ? { isAgent: true } : {}),
      acks: false,
      proof: NOTHING_SENT,
      heard: false,
      subscriptions: [],
    } as const;
    const peer = new Peer(socket, state, this.#onUnread);
    peer.save();
    this.#peers.add(peer);
    this.#checkBridge();
    this.#setAlarm();
    if (!peer.isAgent) trySend(socket, this.#bridgeState());
    return this.#link?.sendJson(FrameType.peerJoined, peer.number, peer.describe());
  }

  #closePeer(peer: Peer, code: number, reason: string): void {
    this.#onPeerLeft(peer);
    if (!peer.hasMuchUnread) return closeAndRecord(peer.socket, code, reason);
    this.#peers.addLeaving(peer.socket, peer.grant);
    return closeAndRecord(peer.socket, code, reason, peer.grant);
  }

  #onPeerLeft(peer: Peer): void {
    this.#peers.remove(peer);
    this.#channels.forget(peer);
    this.#link?.send(FrameType.peerLeft, peer.number);
  }

  #onSocketClosed(socket: WebSocket, isCut = false): void {
    const link = this.#link;
    if (link !== undefined && socket === link.socket) {
      this.#log(link, "lost: its socket closed");
      return this.#onLinkLost(link, isCut);
    }
    const peer = this.#peers.findBySocket(socket);
    if (peer !== undefined) return this.#onPeerLeft(peer);
    this.#peers.removeLeaving(socket);
    return this.#bridgeDoor.onSocketClosed(socket);
  }

  /** Closes everyone whose grant ended, and sets the alarm for the next expiry. */
  #applyGrants(isDue?: boolean): void {
    if (!this.#grants.settle(Date.now(), isDue)) return;
    for (const peer of this.#peers.all()) {
      if (this.#grants.opens(peer.grant, peer.isAgent ? "acp" : "people")) continue;
      this.#closePeer(peer, CloseCode.unauthorized, this.#grants.formatEndReason(peer.grant));
    }
    this.#tunnel.cancelRevoked((grant) => this.#grants.has(grant));
    this.#setAlarm();
  }

  #setAlarm(): void {
    this.ctx.waitUntil(this.#alarm.update());
  }

  #nextBridgeCheck(): number | undefined {
    const isWatched = this.#peers.size > 0 && this.#isAnswering;
    return isWatched ? Date.now() + this.lookEveryMs : undefined;
  }

  #admit(info: RoomRequestInfo): Admission {
    const admission = this.#decideAdmission(info);
    // Checked only when a place is needed, so that an idle room can hibernate.
    const isFull = !admission.ok && admission.close === CloseCode.roomFull;
    return isFull && this.#evictInactive() ? this.#decideAdmission(info) : admission;
  }

  /** Closes peers that never sent anything, not even a ping. Returns whether there were any. */
  #evictInactive(): boolean {
    const inactive = this.#peers.all().filter((peer) => {
      const pingedAt = this.ctx.getWebSocketAutoResponseTimestamp(peer.socket)?.getTime();
      return isInactive(peer, pingedAt, Date.now());
    });
    for (const peer of inactive) this.#closePeer(peer, CloseCode.tryLater, INACTIVE_MESSAGE);
    return inactive.length > 0;
  }

  #decideAdmission(info: RoomRequestInfo): Admission {
    return admit(info, {
      claimed: this.#bridgeDoor.isClaimed,
      isLinked: this.#isAnswering,
      grants: this.#grants.all,
      findEnd: (ticket) => this.#grants.findEnd(ticket),
      peers: this.#peers.size,
      countByGrant: (grant) => this.#peers.countByGrant(grant),
      now: Date.now(),
    });
  }

  /** Whether a bridge is connected and not silent. */
  get #isAnswering(): boolean {
    return this.#link !== undefined && this.#watch.silentSince === undefined;
  }

  #bridgeState(): string {
    const { silentSince: since } = this.#watch;
    if (this.#link === undefined || this.#away.how === "ended")
      return encodeBridgeState(this.#away);
    return encodeBridgeState(since === undefined ? undefined : { since, how: "silent" });
  }

  #log(link: Link, what: string): void {
    // `this.name` throws in a room that an alarm woke before its name was stored.
    const name = this.ctx.id.name ?? readName(this.ctx.storage);
    console.log(`room ${name}: link ${link.instance.slice(0, 8)}/${link.epoch} ${what}`);
  }
}
