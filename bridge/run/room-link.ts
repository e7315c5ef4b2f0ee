// Owns the link to the relay's room: routes the room's frames to the people's door, viewers, channels
// and HTTP door, and sends the room the current grants.

import { setTimeout as delay } from "node:timers/promises";
import { FrameType } from "../../protocol/frame-types.ts";
import { MAX_ROOM_NUMBER } from "../../protocol/limits.ts";
import type { Frame } from "../../protocol/frame.ts";
import { parsePayload, toPayload } from "../../protocol/json.ts";
import type { Farewell } from "../../protocol/link.ts";
import { ChannelState, Drained, PeerJoined, Skipped, decodeStamped } from "../../protocol/link.ts";
import { decodeOffset, decodeAcks } from "../../protocol/output.ts";
import type { Hub } from "../callers/hub.ts";
import type { ChannelPool, LinkSender, GetChannelMessages } from "../channels/channel-table.ts";
import { ChannelTable } from "../channels/channel-table.ts";
import type { AgentsHost } from "../conversations/agent-ports.ts";
import { RelayAgents } from "../doors/acp/relay-acp-door.ts";
import { HttpTunnel } from "../doors/http/http-tunnel.ts";
import { RoomDoor } from "../doors/room-door.ts";
import { DisposableStore } from "../disposable-store.ts";
import { logErrors } from "../faults.ts";
import type { GrantTable } from "../grants/grant-table.ts";
import { changeForRoom, grantsForRoom } from "../grants/room-grants.ts";
import type { RelayAddress } from "../link/relay-address.ts";
import type { DialProblem } from "../link/dial-problem.ts";
import type { Credentials } from "../link/handshake.ts";
import type { LinkStatus } from "../link/link-state.ts";
import { RelayLink } from "../link/relay-link.ts";
import type { DialRoute } from "../link/dial-route.ts";
import type { Log } from "../log.ts";
import type { PeerRoom } from "../viewers/peer-table.ts";
import type { Viewers } from "../viewers/viewers.ts";
import { ConfirmTimer } from "./confirm-timer.ts";
import type { BridgeEvent } from "./run-options.ts";

/** Covers a round trip around the world to a busy relay. */
const FAREWELL_MS = 1_000;

/** Frames whose stream is a peer's number. */
const PEER_FRAMES: ReadonlySet<number> = new Set([
  FrameType.peerJoined,
  FrameType.peerLeft,
  FrameType.peerMessage,
  FrameType.acks,
]);

export interface RoomLinkDeps {
  readonly address: RelayAddress;
  readonly route: DialRoute;
  readonly credentials: Credentials;
  readonly instance: string;
  readonly pool: ChannelPool;
  readonly grants: GrantTable;
  readonly hub: Hub;
  readonly viewers: Viewers;
  readonly messages: GetChannelMessages;
  /** Receives coding agents that connect through the room. */
  readonly agents: AgentsHost;
  /** The workspace's folder. */
  readonly folder: string;
  readonly log: Log;
  /** How long terminals wait for the next bridge after this one is gone. */
  readonly graceMs: number;
  /** Whether this bridge continues the run of one that died. */
  readonly isTakeover: boolean;
  readonly onEvent: (event: BridgeEvent) => void;
  /** Fires when a dial failed; the bridge retries. */
  readonly onDialFailed: (problem: DialProblem) => void;
}

export class RoomLink {
  readonly #deps: RoomLinkDeps;
  readonly #link: RelayLink;
  readonly #home: PeerRoom;
  readonly #door: RoomDoor;
  readonly #agents: RelayAgents;
  readonly #tunnel: HttpTunnel;
  readonly #disposables = new DisposableStore();
  readonly #confirmTimer = new ConfirmTimer(() => {
    if (this.#home.channels.hasUnconfirmed()) this.#link.nudge();
  });
  /** Peers and channels that the room listed since the link came up, until its `caughtUp`. */
  #catchingUp:
    | { readonly peers: Map<number, PeerJoined>; readonly channels: Map<number, ChannelState> }
    | undefined;

  readonly #warned = new Set<string>();

  constructor(deps: RoomLinkDeps) {
    const { address, route, credentials, instance, pool, grants, hub, viewers, log } = deps;
    this.#deps = deps;
    this.#link = new RelayLink(
      address,
      route,
      credentials,
      instance,
      {
        onUp: () => this.#onUp(),
        onFrame: logErrors(log, "a frame of the room", (frame) => this.#onFrame(frame)),
        onDown: (reason, own) => this.#onDown(reason, own),
        onRefused: (code, reason) => deps.onEvent({ event: "link_refused", code, reason }),
        onFailed: (problem) => deps.onDialFailed(problem),
        hasUnconfirmed: () => this.#home.channels.hasUnconfirmed(),
      },
      log,
    );
    const link: LinkSender = {
      send: (type, stream, payload, flags) => this.#link.send(type, stream, payload, flags),
      sendBytes: (frames, written) => {
        this.#link.sendBytes(frames, written);
        this.#confirmTimer.restart();
      },
      confirmed: () => this.#link.confirmed(),
    };
    const channels = new ChannelTable(pool, link, deps.messages, log, {
      forwardsFrames: true,
      isLocal: address.loopback,
    });
    this.#home = { link, channels };
    this.#door = new RoomDoor({
      name: "people",
      home: this.#home,
      hub,
      viewers,
      grants,
      log,
      isTakeover: deps.isTakeover,
    });
    this.#agents = new RelayAgents({
      link: {
        send: (type, stream, payload, flags) => link.send(type, stream, payload, flags),
        confirmed: () => this.#link.confirmed(),
      },
      grants,
      hub,
      host: deps.agents,
      folder: deps.folder,
      log,
    });
    this.#tunnel = new HttpTunnel({
      link,
      grants,
      hub,
      log,
      isLate: (at) => this.#link.isLate(at),
    });
    this.#disposables.add(
      grants.onEvent((listed) => {
        const update = changeForRoom(listed);
        if (update !== undefined) this.#link.send(FrameType.grants, 0, toPayload(update));
      }),
    );
  }

  start(): void {
    this.#link.start();
  }

  stop(): void {
    this.#agents.onLinkLost();
    this.#disposables.dispose();
    this.#confirmTimer.dispose();
    this.#link.stop();
  }

  /** Resolves when the room has received everything sent so far, new grants above all. */
  confirmed(): Promise<void> {
    return this.#link.confirmed();
  }

  /** Sends the room why this bridge leaves. Resolves when the room has notified its peers. */
  async farewell(farewell: Farewell): Promise<void> {
    if (!this.isUp) return;
    this.#link.send(FrameType.farewell, 0, toPayload(farewell));
    const timeout = new AbortController();
    // An unresponsive relay must not delay the exit.
    const wait = delay(FAREWELL_MS, undefined, { signal: timeout.signal }).catch(() => undefined);
    await Promise.race([this.confirmed(), wait]);
    timeout.abort();
  }

  /** Reconnects for a new pty host that replaced one that died. */
  restart(instance: string): void {
    this.#link.restart(instance);
  }

  get condition(): LinkStatus {
    return this.#link.status;
  }

  get isUp(): boolean {
    return this.#link.isUp;
  }

  roundTrip(): Promise<number | undefined> {
    return this.#link.roundTrip();
  }

  #onUp(): void {
    this.#catchingUp = { peers: new Map(), channels: new Map() };
    this.#link.send(FrameType.grants, 0, toPayload(grantsForRoom(this.#deps.grants.list())));
    const { graceMs } = this.#deps;
    const running: Farewell = { state: "running", graceMs };
    this.#link.send(FrameType.farewell, 0, toPayload(running));
    this.#deps.onEvent({ event: "link_up" });
  }

  #onDown(reason: string, own: boolean): void {
    this.#catchingUp = undefined;
    this.#home.channels.suspendAll();
    this.#tunnel.dropAll("the link was lost");
    this.#agents.onLinkLost();
    this.#deps.onEvent({ event: "link_lost", reason, own });
  }

  #onFrame(frame: Frame): void {
    const { viewers } = this.#deps;
    if (PEER_FRAMES.has(frame.type) && (frame.stream < 1 || frame.stream > MAX_ROOM_NUMBER)) {
      return this.#warnOnce(`frame ${frame.type} from the room has no valid peer number`);
    }
    switch (frame.type) {
      case FrameType.peerMessage:
        return this.#onMessage(frame);
      case FrameType.received: {
        const offset = decodeOffset(frame.payload);
        if (offset === undefined) return undefined;
        return this.#home.channels.byNumber(frame.stream)?.channel.onReceived(offset);
      }
      case FrameType.peerJoined:
        return this.#withPayload(PeerJoined, frame, (joined) =>
          this.#onJoined(frame.stream, joined),
        );
      case FrameType.peerLeft:
        return this.#onLeft(frame.stream);
      case FrameType.channelState:
        return this.#withPayload(ChannelState, frame, (state) => {
          this.#catchingUp?.channels.set(frame.stream, state);
        });
      case FrameType.caughtUp:
        return this.#onCaughtUp();
      case FrameType.greetAgain:
        return this.#door.greetAgain();
      case FrameType.skipped:
        return this.#withPayload(Skipped, frame, (skipped) =>
          viewers.onSkipped(this.#home, frame.stream, skipped),
        );
      case FrameType.drained:
        return this.#withPayload(Drained, frame, (drained) =>
          viewers.onDrained(this.#home, frame.stream, drained),
        );
      case FrameType.acks:
        return viewers.onRawAcks(frame.stream, decodeAcks(frame.payload) ?? []);
      case FrameType.streamOpen:
      case FrameType.streamData:
      case FrameType.streamEnd:
      case FrameType.streamCancel:
      case FrameType.streamCredit:
        return this.#tunnel.onFrame(frame);
      default:
        // A newer room may send frame types that this bridge does not know.
        return undefined;
    }
  }

  #onMessage({ stream, flags, payload }: Frame): void {
    const message = decodeStamped(payload);
    if (message === undefined) {
      return this.#warnOnce("dropped a peer message without the room's timestamp");
    }
    const isLate = this.#link.isLate(message.at);
    return this.#agents.has(stream)
      ? this.#agents.onMessage(stream, { flags, payload: message.body, isLate })
      : this.#door.onMessage(stream, message.body, isLate);
  }

  #onJoined(number: number, joined: PeerJoined): void {
    if (joined.door === "acp") return this.#agents.onJoined(number, joined);
    // A door of a newer room, whose protocol this bridge does not know.
    if (joined.door !== undefined) return undefined;
    if (this.#catchingUp !== undefined) {
      this.#catchingUp.peers.set(number, joined);
      return undefined;
    }
    const caller = this.#door.onJoined(number, joined);
    // A waiting guest is reported on admission instead, and one that was refused never.
    if (!this.#deps.hub.isOpen(caller)) return;
    const { role = "unknown", label = "" } = caller.grant() ?? {};
    const { grant } = joined;
    return this.#deps.onEvent({ event: "peer_joined", peer: number, grant, role, label });
  }

  #onLeft(number: number): void {
    this.#catchingUp?.peers.delete(number);
    this.#agents.onLeft(number);
    const caller = this.#door.onLeft(number);
    if (caller === undefined) return;
    this.#deps.onEvent({ event: "peer_left", peer: number, grant: caller.grantId });
  }

  #onCaughtUp(): void {
    const listed = this.#catchingUp;
    this.#catchingUp = undefined;
    if (listed !== undefined) this.#door.reconcile(listed.peers, listed.channels);
  }

  #withPayload<T>(
    schema: Parameters<typeof parsePayload<T>>[0],
    frame: Frame,
    then: (value: T) => void,
  ) {
    const parsed = parsePayload(schema, frame.payload);
    if (parsed.ok) return then(parsed.value);
    this.#warnOnce(`frame ${frame.type} from the room is malformed`, parsed.error);
    return undefined;
  }

  /** Logs what a room does wrong once for each kind: a room must not fill the log. */
  #warnOnce(kind: string, detail?: string): void {
    if (this.#warned.has(kind)) return;
    this.#warned.add(kind);
    this.#deps.log.warn(detail === undefined ? kind : `${kind}: ${detail}`);
  }
}
