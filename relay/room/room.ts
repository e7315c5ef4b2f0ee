// Owns one workspace's room as the runtime sees it: requests, sockets and the alarm, and which part
// of the room handles each. The bridge's side is in bridge-presence.ts and bridge-door.ts, the
// peers' side in peer-connections.ts. Does not know terminals, tools or commands. From a message to
// its sends everything is synchronous: a handler that awaits loses the order and disables the
// runtime's back-pressure.

import type { ConnectionContext } from "partyserver";
import { Server } from "partyserver";
import { CloseCode } from "../../protocol/codes.ts";
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
import { BridgeDoor } from "./bridge-door.ts";
import { BridgePresence } from "./bridge-presence.ts";
import { Channels } from "./channels.ts";
import { GrantList, nextExpiry } from "./grants.ts";
import type { Link } from "./link.ts";
import { LinkFrames } from "./link-frames.ts";
import { PeerConnections } from "./peer-connections.ts";
import { Peers } from "./peers.ts";
import { Records, dropUnclaimedNames, readName, storeName } from "./records.ts";
import { CHECK_EVERY_MS } from "./bridge-liveness.ts";
import { closeSocket, closeAndRecord } from "./sockets.ts";
import { Tunnel } from "./tunnel.ts";

/** The runtime's code for a connection that ended without a close frame. */
const CUT_CODE = 1006;

export class WorkspaceRoom extends Server<Env> {
  static override options = { hibernate: true };

  readonly #records: Records;
  readonly #peers = new Peers();
  readonly #channels = new Channels();
  readonly #tunnel: Tunnel;
  readonly #frames: LinkFrames;
  readonly #bridgeDoor: BridgeDoor;
  readonly #grants: GrantList;
  readonly #bridge: BridgePresence;
  readonly #connections: PeerConnections;
  readonly #alarm: RoomAlarm;
  /**
   * Requests that our handlers answered. Any other answer is partyserver's, and contains a stack.
   */
  readonly #served = new WeakSet<Request>();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#records = new Records(ctx.storage);
    this.#grants = new GrantList(this.#records);
    this.#tunnel = new Tunnel(() => this.#records.nextNumber());
    this.#frames = new LinkFrames({
      peers: this.#peers,
      channels: this.#channels,
      tunnel: this.#tunnel,
      onChannelsChanged: () => this.#bridge.save(),
      onFarewell: (farewell) => this.#bridge.onFarewell(farewell),
      grants: this.#grants,
      closePeer: (peer, code, reason) => this.#connections.close(peer, code, reason),
    });
    this.#bridgeDoor = new BridgeDoor({
      records: this.#records,
      rules: {
        loopback: env.LOOPBACK_PORT !== undefined && env.TUNNEL_HOST === undefined,
        // workerd gives null for a variable that its environment does not have.
        relayKey: env.RELAY_KEY ?? undefined,
      },
      workspace: () => this.name,
      link: () => this.#bridge.link,
      accept: (candidate, old) => this.#bridge.accept(candidate, old),
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
    const getPingedAt = (socket: WebSocket) =>
      ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime();
    this.#bridge = new BridgePresence({
      records: this.#records,
      peers: this.#peers,
      channels: this.#channels,
      tunnel: this.#tunnel,
      grants: this.#grants,
      isOneMachine: env.LOOPBACK_PORT !== undefined,
      getPingedAt,
      // Stored together with the claim, before anything sets an alarm.
      onAccepted: () => storeName(ctx.storage, this.name),
      closeAgents: () => this.#connections.closeAgents(),
      giveToWaiting: () => this.#bridgeDoor.onLinkLost(),
      updateAlarm: () => this.#updateAlarm(),
      log: (line) => this.#log(line),
    });
    this.#connections = new PeerConnections({
      peers: this.#peers,
      channels: this.#channels,
      grants: this.#grants,
      bridge: this.#bridge,
      nextNumber: () => this.#records.nextNumber(),
      getPingedAt,
      updateAlarm: () => this.#updateAlarm(),
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
      if (state?.kind === "link") this.#bridge.resume(socket, state);
    }
    this.#bridge.resumeAway();
    for (const socket of sockets) {
      const { state } = socket;
      if (state?.kind === "gone" && state.grant) this.#peers.addLeaving(socket, state.grant);
      if (state?.kind === "peer") this.#connections.resume(socket, state);
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
    this.#bridge.check();
    const { link, silentSince, awaySince } = this.#bridge;
    if (link === undefined) return refuse("bridge_away", BRIDGE_AWAY_MESSAGE, awaySince);
    if (silentSince !== undefined) {
      return refuse("bridge_away", BRIDGE_SILENT_MESSAGE, silentSince);
    }
    this.#bridge.recordForwarded();
    return this.#tunnel.forward(link, request, admission, info.path ?? "/");
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    try {
      const { link } = this.#bridge;
      if (socket === link?.socket) return this.#onLinkMessage(link, message);
      const peer = this.#peers.findBySocket(socket);
      if (peer !== undefined) return this.#connections.onMessage(peer, message);
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
    if (this.#peers.size > 0) this.#bridge.check(this.lookEveryMs / 2);
    this.#updateAlarm();
  }

  /** Returns how often the room checks whether a bridge that people watch is silent. */
  get lookEveryMs(): number {
    return CHECK_EVERY_MS;
  }

  #onLinkMessage(link: Link, message: string | ArrayBuffer): void {
    this.#bridge.recordMessage();
    this.#bridgeDoor.onLinkMessage();
    const complaint = this.#frames.onMessage(link, message);
    this.#applyGrants();
    if (complaint !== undefined) this.#bridge.end(link, complaint);
  }

  #onPeerConnected(socket: Socket, info: RoomRequestInfo): void {
    const admission = this.#admit(info);
    if (admission.ok) this.#connections.open(socket, admission, info);
    else closeAndRecord(socket, admission.close, admission.error);
  }

  #onSocketClosed(socket: WebSocket, isCut = false): void {
    const { link } = this.#bridge;
    if (link !== undefined && socket === link.socket) {
      return this.#bridge.onSocketClosed(link, isCut);
    }
    const peer = this.#peers.findBySocket(socket);
    if (peer !== undefined) return this.#connections.onLeft(peer);
    this.#peers.removeLeaving(socket);
    return this.#bridgeDoor.onSocketClosed(socket);
  }

  /** Closes everyone whose grant ended, and sets the alarm for the next expiry. */
  #applyGrants(isDue?: boolean): void {
    if (!this.#grants.settle(Date.now(), isDue)) return;
    this.#connections.closeUngranted();
    this.#tunnel.cancelRevoked((grant) => this.#grants.has(grant));
    this.#updateAlarm();
  }

  #updateAlarm(): void {
    this.ctx.waitUntil(this.#alarm.update());
  }

  #nextBridgeCheck(): number | undefined {
    const isWatched = this.#peers.size > 0 && this.#bridge.isAnswering;
    return isWatched ? Date.now() + this.lookEveryMs : undefined;
  }

  #admit(info: RoomRequestInfo): Admission {
    const admission = this.#decideAdmission(info);
    // Checked only when a place is needed, so that an idle room can hibernate.
    const isFull = !admission.ok && admission.close === CloseCode.roomFull;
    return isFull && this.#connections.evictInactive() ? this.#decideAdmission(info) : admission;
  }

  #decideAdmission(info: RoomRequestInfo): Admission {
    return admit(info, {
      claimed: this.#bridgeDoor.isClaimed,
      isLinked: this.#bridge.isAnswering,
      grants: this.#grants.all,
      findEnd: (ticket) => this.#grants.findEnd(ticket),
      peers: this.#peers.size,
      countByGrant: (grant) => this.#peers.countByGrant(grant),
      now: Date.now(),
    });
  }

  #log(line: string): void {
    // `this.name` throws in a room that an alarm woke before its name was stored.
    const name = this.ctx.id.name ?? readName(this.ctx.storage);
    console.log(`room ${name}: ${line}`);
  }
}
