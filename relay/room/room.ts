// Owns one workspace's room: its sockets, what each may do, and where each frame goes. Does not
// know terminals, tools or commands. From a message to its sends everything is synchronous: a
// handler that awaits loses the order and disables the runtime's back-pressure.

import type { ConnectionContext } from "partyserver";
import { Server } from "partyserver";
import { CloseCode } from "../../protocol/codes.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import {
  AGENT_BYTES_LIKE_A_MESSAGE,
  MAX_FRAME_PAYLOAD,
  NUDGE_AFTER_QUIET_MS,
  PEER_MESSAGES_A_SECOND,
} from "../../protocol/limits.ts";
import { cutIntoPieces } from "../../protocol/pieces.ts";
import type { Farewell } from "../../protocol/link.ts";
import type { ChannelAck } from "../../protocol/raw.ts";
import { encodeAckList } from "../../protocol/raw.ts";
import { encodeStamped, STAMP_BYTES } from "../../protocol/stamp.ts";
import { LINK_VERSION } from "../../protocol/version.ts";
import { logFault, refuse } from "../edge/answers.ts";
import type { Verdict } from "../edge/bridge-socket.ts";
import type { Asked } from "../edge/room-request.ts";
import { readAsked } from "../edge/room-request.ts";
import type { Env } from "../env.ts";
import type { Admission } from "./admission.ts";
import { RoomAlarm } from "./alarm.ts";
import {
  admit,
  BRIDGE_AWAY_SENTENCE,
  BRIDGE_SILENT_SENTENCE,
  FAULT,
  refusal,
} from "./admission.ts";
import type { Socket, SocketState } from "./attachment.ts";
import { fitChannels } from "./attachment.ts";
import { BridgeDoor } from "./bridge-door.ts";
import { BridgeWatch } from "./bridge-watch.ts";
import { Channels } from "./channels.ts";
import type { Candidate } from "./contest.ts";
import { keepCounts, takeCounts } from "./counts.ts";
import { GrantList, nextExpiry } from "./grants.ts";
import type { Loss } from "./farewell.ts";
import { awayFacts } from "./farewell.ts";
import type { Refusal } from "./hello.ts";
import { Link } from "./link.ts";
import { LinkFrames } from "./link-frames.ts";
import { isMute } from "./mute.ts";
import { readAgentMessage, readPeerMessage } from "./peer-messages.ts";
import type { AwayTold } from "./peers.ts";
import { bridgeState, Peer, Peers } from "./peers.ts";
import { NOTHING_SENT } from "./proof.ts";
import { Records, toldOf } from "./records.ts";
import { LOOK_EVERY_MS } from "./silence.ts";
import { closeSocket, retire, trySend } from "./sockets.ts";
import { leaveUnnamed, readName, storeName } from "./stored-name.ts";
import { Tunnel } from "./tunnel.ts";

/** Short enough for a close frame. */
const UNREAD_SENTENCE =
  "16 MiB were sent without proof that you read them: answer pairpty:ping (raw: proof).";
const MUTE_SENTENCE = "The room is full, and you sent nothing for a minute, not even a ping.";
const LINK_LOST_SENTENCE = "This workspace's bridge lost its connection: connect again.";
const GIVEN_UP_SENTENCE = "This link did not answer for 10 minutes: connect again.";
const TOO_FAST_SENTENCE = `More than ${PEER_MESSAGES_A_SECOND} messages a second: send fewer, or larger ones.`;

/** The runtime's code for a connection that ended without a close frame. */
const CUT_CODE = 1006;

export class WorkspaceRoom extends Server<Env> {
  static override options = { hibernate: true };

  readonly #records: Records;
  readonly #peers = new Peers();
  readonly #channels = new Channels();
  readonly #onUnread = (peer: Peer) => this.#closePeer(peer, CloseCode.tryLater, UNREAD_SENTENCE);
  readonly #tunnel: Tunnel;
  readonly #frames: LinkFrames;
  readonly #door: BridgeDoor;
  readonly #grants: GrantList;
  readonly #watch: BridgeWatch;
  readonly #alarm: RoomAlarm;
  /**
   * Requests that our handlers answered. Any other answer is partyserver's, and contains a stack.
   */
  readonly #served = new WeakSet<Request>();
  #link: Link | undefined;
  /** Ticket for the received counts, in case the room hibernates. */
  #counts: string | undefined;
  /** Why there is no link, and since when, if known. */
  #away: AwayTold = {};

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
    this.#door = new BridgeDoor({
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
      this.#nextLook(),
    ]);
    this.#watch = new BridgeWatch({
      getPingedAt: () => {
        const socket = this.#link?.socket;
        return socket && ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime();
      },
      nudge: () => this.#link?.send(FrameType.nudge, 0),
      onSilent: (since) => this.#onSilent(since),
      onBack: () => this.#onBack(),
      onGivenUp: () => this.#onGivenUp(),
    });
    leaveUnnamed(ctx.storage, () => this.#door.isClaimed);
    // Answered by the runtime without waking the room.
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair("ping", "pong"));
    this.#wake();
  }

  /** Restores all sockets after hibernation, before the runtime delivers any event. */
  #wake(): void {
    const sockets = [...this.getConnections<SocketState>()];
    for (const socket of sockets) {
      const { state } = socket;
      if (state?.kind === "greeting") this.#door.resume(socket, state);
      if (state?.kind !== "link") continue;
      this.#link = new Link(socket, state);
      this.#watch.resume(state.silentSince);
      const entries = [...state.channels, ...this.#records.channelsBeyond];
      const counts = takeCounts(state.counts);
      for (const entry of entries) {
        this.#channels.restore({ entry, received: counts.get(entry[0])?.received ?? null });
      }
      this.#saveLink();
    }
    if (this.#link === undefined) {
      const away = this.#records.away;
      this.#away = toldOf(away);
      for (const stored of away?.channels ?? []) this.#channels.restore(stored);
    }
    for (const socket of sockets) {
      const { state } = socket;
      if (state?.kind === "gone" && state.grant) this.#peers.leaves(socket, state.grant);
      if (state?.kind !== "peer") continue;
      const peer = new Peer(socket, state, this.#onUnread);
      this.#peers.add(peer);
      for (const entry of state.subscriptions) this.#channels.resume(peer, entry);
    }
  }

  override async fetch(request: Request): Promise<Response> {
    const asked = readAsked(request);
    try {
      // Checked before partyserver, which stores a name for every room that it handles.
      const admission = asked.door === "bridge" ? this.#door.refuses(asked) : this.#admit(asked);
      if (admission?.ok === false) return refusal(admission);
      const response = await super.fetch(request);
      if (this.#served.delete(request)) return response;
    } catch (error) {
      logFault("room", error);
    }
    return refusal(FAULT);
  }

  /** Resolves with the verdict on a bridge's socket, for the Worker, which can cut it off. */
  verdictOn(id: string): Promise<Verdict> {
    return this.#door.verdictOn(id);
  }

  override onConnect(socket: Socket, { request }: ConnectionContext): void {
    const asked = readAsked(request);
    if (asked.door === "bridge") this.#door.greet(socket, asked);
    else this.#peerCame(socket, asked);
    this.#served.add(request);
  }

  override async onRequest(request: Request): Promise<Response> {
    const response = await this.#answer(request, readAsked(request));
    this.#served.add(request);
    return response;
  }

  async #answer(request: Request, asked: Asked): Promise<Response> {
    // Checked again: time has passed while partyserver started.
    const admission = this.#admit(asked);
    if (!admission.ok) return refusal(admission);
    this.#lookAtBridge();
    if (this.#link === undefined) {
      return refuse("bridge_away", BRIDGE_AWAY_SENTENCE, this.#away.since);
    }
    const { silentSince } = this.#watch;
    if (silentSince !== undefined) {
      return refuse("bridge_away", BRIDGE_SILENT_SENTENCE, silentSince);
    }
    return this.#tunnel.carry(this.#link, request, admission.grant, asked.path ?? "/");
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    try {
      if (socket === this.#link?.socket) return this.#fromLink(this.#link, message);
      const peer = this.#peers.of(socket);
      if (peer !== undefined) return this.#fromPeer(peer, message);
      if (this.#door.has(socket)) return await this.#door.message(socket, message);
      this.#door.unasked(socket, message);
    } catch (error) {
      logFault("message", error);
      this.#left(socket);
      closeSocket(socket, CloseCode.internal, FAULT.error);
    }
    return undefined;
  }

  override async webSocketClose(socket: WebSocket, code: number, reason: string): Promise<void> {
    this.#left(socket, code === CUT_CODE);
    // Also needed when no close frame came, or the socket stays half open.
    closeSocket(socket, code, reason);
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    this.#left(socket, true);
    closeSocket(socket, CloseCode.internal, "The connection broke.");
  }

  /** Handles the room's alarm: expired grants, and the check of a bridge that people watch. */
  override onAlarm(): void {
    const expiry = nextExpiry(this.#grants.all);
    if (expiry !== undefined && expiry <= Date.now()) this.#applyGrants(true);
    // A healthy bridge pings after 20 s of quiet, so it was active within the last half minute.
    if (this.#peers.size > 0) this.#lookAtBridge(this.lookEveryMs / 2);
    this.#setAlarm();
  }

  /** Returns how often the room checks whether a bridge that people watch is silent. */
  get lookEveryMs(): number {
    return LOOK_EVERY_MS;
  }

  #lookAtBridge(quietMs = NUDGE_AFTER_QUIET_MS): void {
    if (this.#link !== undefined) this.#watch.look(quietMs, Date.now());
  }

  /** Handles a silent bridge. The link stays open, and any message ends the silence. */
  #onSilent(since: number): void {
    const link = this.#link;
    if (link === undefined) return;
    this.#saveLink();
    this.#tunnel.refuseWaiting(link, {
      reason: BRIDGE_SILENT_SENTENCE,
      code: "bridge_away",
      since,
    });
    this.#peers.tellAll(this.#bridgeState());
    this.#log(link, "silent: it did not answer a nudge");
  }

  #onBack(): void {
    const link = this.#link;
    if (link === undefined) return;
    this.#saveLink();
    this.#peers.tellAll(this.#bridgeState());
    link.send(FrameType.greetAgain, 0);
    this.#setAlarm();
    this.#log(link, "answers again");
  }

  #onGivenUp(): void {
    const link = this.#link;
    if (link === undefined) return;
    this.#endLink(link, { code: CloseCode.tryLater, reason: GIVEN_UP_SENTENCE });
    this.#linkLost(link);
  }

  #fromLink(link: Link, message: string | ArrayBuffer): void {
    this.#watch.heard(Date.now());
    this.#door.linkSpoke();
    const complaint = this.#frames.message(link, message);
    this.#applyGrants();
    if (complaint === undefined) return;
    this.#endLink(link, complaint);
    this.#linkLost(link);
  }

  #fromPeer(peer: Peer, message: string | ArrayBuffer): void {
    const now = Date.now();
    if (!peer.rate.mayTake(now)) {
      return this.#closePeer(peer, CloseCode.tooFast, TOO_FAST_SENTENCE);
    }
    peer.hear();
    this.#lookAtBridge();
    if (peer.isAgent) return this.#fromAgent(peer, message);
    const said = readPeerMessage(peer.raw, message);
    if (said.is === "refused") {
      return this.#closePeer(peer, said.refusal.code, said.refusal.reason);
    }
    const isProof = said.proof !== undefined && peer.proves(said.proof);
    if (said.is === "acks") return this.#fromViewer(peer, said.acks);
    if (isProof) return undefined;
    // Plain clients need not know pings, and a client that may type has easier ways to do harm.
    if (!peer.raw && peer.isAsked && this.#grants.speaks(peer.grant)) peer.trust();
    // Not kept for later: a keystroke from a minute ago must not run now. While a nudge is pending
    // it is sent: its timestamp tells the bridge how old it is.
    if (this.#link === undefined || this.#watch.silentSince !== undefined) {
      trySend(peer.socket, this.#bridgeState());
    } else {
      this.#link.send(FrameType.peerMessage, peer.number, encodeStamped(now, said.bytes));
    }
    return undefined;
  }

  /**
   * Handles an agent's message. It shows the room only that the agent is alive; the bridge checks
   * that it reads [AC54].
   */
  #fromAgent(peer: Peer, message: string | ArrayBuffer): void {
    const said = readAgentMessage(message);
    if (said.is === "refused") {
      return this.#closePeer(peer, said.refusal.code, said.refusal.reason);
    }
    if (said.is !== "text") return undefined;
    peer.rate.charge(said.bytes.length / AGENT_BYTES_LIKE_A_MESSAGE);
    if (peer.holdsMuch) peer.trust();
    const link = this.#link;
    // A dropped request would wait forever.
    if (this.#watch.silentSince !== undefined) {
      return this.#closePeer(peer, CloseCode.tryLater, BRIDGE_SILENT_SENTENCE);
    }
    const now = Date.now();
    return link?.together(() => {
      for (const { flags, payload } of cutIntoPieces(said.bytes, MAX_FRAME_PAYLOAD - STAMP_BYTES)) {
        link.send(FrameType.peerMessage, peer.number, encodeStamped(now, payload), flags);
      }
    });
  }

  #fromViewer(peer: Peer, acks: readonly ChannelAck[]): void {
    const link = this.#link;
    const forBridge = this.#channels.ownAcks(link, peer, acks);
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
    link.together(() => {
      link.sendJson(FrameType.accepted, 0, { version: LINK_VERSION, now: Date.now() });
      this.#channels.introduce(link);
      for (const peer of this.#peers.all()) {
        link.sendJson(FrameType.peerJoined, peer.number, peer.describe());
      }
      link.send(FrameType.caughtUp, 0);
    });
    this.#peers.tellAll(this.#bridgeState());
    this.#setAlarm();
    this.#log(link, `up, ${JSON.stringify(hello.software)}`);
  }

  #endLink(link: Link, { code, reason }: Refusal): void {
    retire(link.socket, code, reason);
    this.#tunnel.abandon(link, Date.now());
    this.#log(link, `ended: ${code} ${reason}`);
  }

  #onFarewell(farewell: Farewell): void {
    this.#records.farewell = farewell;
    if (farewell.state !== "ended" && farewell.state !== "left") return;
    // Sent before peers' links or their tunnel end, so that they get the real reason.
    this.#grants.isEnding = farewell.state === "ended";
    this.#away = { since: Date.now(), ...awayFacts(farewell, this.#loss(Date.now(), false)) };
    this.#peers.tellAll(bridgeState(this.#away));
  }

  #loss(since: number, isCut: boolean): Loss {
    return { since, isCut, isOneMachine: this.env.LOOPBACK_PORT !== undefined };
  }

  #linkLost(link: Link, isCut = false): void {
    const since = this.#away.since ?? this.#watch.silentSince ?? Date.now();
    this.#link = undefined;
    this.#watch.restart(0);
    this.#closeAgents();
    takeCounts(this.#counts);
    this.#counts = undefined;
    const facts = awayFacts(this.#records.farewell, this.#loss(since, isCut));
    this.#away = { since, ...facts };
    this.#records.away = { since, ...facts, channels: this.#channels.stored() };
    this.#tunnel.abandon(link, since);
    // These offsets are exact now, since nothing is under way; after hibernation they would be
    // lower bounds.
    for (const peer of this.#peers.all()) if (peer.subscriptions.size > 0) peer.save();
    if (!this.#door.linkLost()) this.#peers.tellAll(this.#bridgeState());
  }

  /** Closes agents' sockets: messages under way were lost with the link. */
  #closeAgents(): void {
    for (const peer of this.#peers.all()) {
      if (peer.isAgent) this.#closePeer(peer, CloseCode.tryLater, LINK_LOST_SENTENCE);
    }
  }

  #saveLink(): void {
    const link = this.#link;
    if (link === undefined) return;
    const { inside, beyond } = fitChannels(this.#channels.entries());
    const { instance, epoch } = link;
    this.#counts ??= keepCounts(this.#channels.counts);
    const [counts, { silentSince }] = [this.#counts, this.#watch];
    link.socket.setState({
      kind: "link",
      instance,
      epoch,
      channels: inside,
      counts,
      ...(silentSince === undefined ? {} : { silentSince }),
    });
    this.#records.channelsBeyond = beyond;
  }

  #peerCame(socket: Socket, asked: Asked): void {
    const admission = this.#admit(asked);
    if (!admission.ok) return retire(socket, admission.close, admission.error);
    const state = {
      kind: "peer",
      number: this.#records.nextNumber(),
      grant: admission.grant,
      joinedAt: Date.now(),
      raw: asked.raw === true,
      ...(asked.door === "acp" ? { isAgent: true } : {}),
      acks: false,
      proof: NOTHING_SENT,
      heard: false,
      subscriptions: [],
    } as const;
    const peer = new Peer(socket, state, this.#onUnread);
    peer.save();
    this.#peers.add(peer);
    this.#lookAtBridge();
    this.#setAlarm();
    if (!peer.isAgent) trySend(socket, this.#bridgeState());
    return this.#link?.sendJson(FrameType.peerJoined, peer.number, peer.describe());
  }

  #closePeer(peer: Peer, code: number, reason: string): void {
    this.#peerLeft(peer);
    if (!peer.holdsMuch) return retire(peer.socket, code, reason);
    this.#peers.leaves(peer.socket, peer.grant);
    return retire(peer.socket, code, reason, peer.grant);
  }

  #peerLeft(peer: Peer): void {
    this.#peers.remove(peer);
    this.#channels.forget(peer);
    this.#link?.send(FrameType.peerLeft, peer.number);
  }

  #left(socket: WebSocket, isCut = false): void {
    const link = this.#link;
    if (link !== undefined && socket === link.socket) {
      this.#log(link, "lost: its socket closed");
      return this.#linkLost(link, isCut);
    }
    const peer = this.#peers.of(socket);
    if (peer !== undefined) return this.#peerLeft(peer);
    this.#peers.left(socket);
    return this.#door.left(socket);
  }

  /** Closes everyone whose grant ended, and sets the alarm for the next expiry. */
  #applyGrants(isDue?: boolean): void {
    if (!this.#grants.settle(Date.now(), isDue)) return;
    for (const peer of this.#peers.all()) {
      if (this.#grants.opens(peer.grant, peer.isAgent ? "acp" : "people")) continue;
      this.#closePeer(peer, CloseCode.unauthorized, this.#grants.whyGone(peer.grant));
    }
    this.#tunnel.expel((grant) => this.#grants.has(grant));
    this.#setAlarm();
  }

  #setAlarm(): void {
    this.ctx.waitUntil(this.#alarm.update());
  }

  #nextLook(): number | undefined {
    const isWatched = this.#peers.size > 0 && this.#isAnswering;
    return isWatched ? Date.now() + this.lookEveryMs : undefined;
  }

  #admit(asked: Asked): Admission {
    const admission = this.#judge(asked);
    // Checked only when a place is needed, so that an idle room can hibernate.
    const isFull = !admission.ok && admission.close === CloseCode.roomFull;
    return isFull && this.#makeWay() ? this.#judge(asked) : admission;
  }

  /** Closes peers that never sent anything, not even a ping. Returns whether there were any. */
  #makeWay(): boolean {
    const mute = this.#peers.all().filter((peer) => {
      const pingedAt = this.ctx.getWebSocketAutoResponseTimestamp(peer.socket)?.getTime();
      return isMute(peer, pingedAt, Date.now());
    });
    for (const peer of mute) this.#closePeer(peer, CloseCode.tryLater, MUTE_SENTENCE);
    return mute.length > 0;
  }

  #judge(asked: Asked): Admission {
    return admit(asked, {
      claimed: this.#door.isClaimed,
      isLinked: this.#isAnswering,
      grants: this.#grants.all,
      howGone: (ticket) => this.#grants.howGone(ticket),
      peers: this.#peers.size,
      ofGrant: (grant) => this.#peers.countOf(grant),
      now: Date.now(),
    });
  }

  /** Whether a bridge is connected and not silent. */
  get #isAnswering(): boolean {
    return this.#link !== undefined && this.#watch.silentSince === undefined;
  }

  #bridgeState(): string {
    const { silentSince: since } = this.#watch;
    if (this.#link === undefined || this.#away.how === "ended") return bridgeState(this.#away);
    return bridgeState(since === undefined ? undefined : { since, how: "silent" });
  }

  #log(link: Link, what: string): void {
    // `this.name` throws in a room that an alarm woke before its name was stored.
    const name = this.ctx.id.name ?? readName(this.ctx.storage);
    console.log(`room ${name}: link ${link.instance.slice(0, 8)}/${link.epoch} ${what}`);
  }
}
