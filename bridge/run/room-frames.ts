// Owns the meaning of each frame from the room: routes it to the people's door, agents, viewers,
// channels or HTTP, and collects what the room lists when the link comes up. Sends nothing itself.
// A frame that it cannot use is ignored and logged once for each kind.

import { FrameType } from "../../protocol/frame-types.ts";
import type { Frame } from "../../protocol/frame.ts";
import { parsePayload } from "../../protocol/json.ts";
import { MAX_ROOM_NUMBER } from "../../protocol/limits.ts";
import { ChannelState, decodeStamped, Drained, PeerJoined, Skipped } from "../../protocol/link.ts";
import { decodeAcks, decodeOffset } from "../../protocol/output.ts";
import type { Caller } from "../callers/caller.ts";
import type { Hub } from "../callers/hub.ts";
import type { RelayAgents } from "../doors/acp/relay-acp-door.ts";
import type { HttpTunnel } from "../doors/http/http-tunnel.ts";
import type { RoomDoor } from "../doors/room-door.ts";
import type { Log } from "../log.ts";
import type { PeerRoom } from "../viewers/peer-table.ts";
import type { Viewers } from "../viewers/viewers.ts";
import type { BridgeEvent } from "./run-options.ts";

/** Frames whose stream is a peer's number. */
const PEER_FRAMES: ReadonlySet<number> = new Set([
  FrameType.peerJoined,
  FrameType.peerLeft,
  FrameType.peerMessage,
  FrameType.acks,
]);

export interface RoomFramesDeps {
  readonly home: PeerRoom;
  readonly door: Pick<RoomDoor, "greetAgain" | "onJoined" | "onLeft" | "onMessage" | "reconcile">;
  readonly agents: Pick<RelayAgents, "has" | "onJoined" | "onLeft" | "onMessage">;
  readonly tunnel: Pick<HttpTunnel, "onFrame">;
  readonly viewers: Pick<Viewers, "onDrained" | "onRawAcks" | "onSkipped">;
  readonly hub: Pick<Hub, "isOpen">;
  /** Whether a message with the room's timestamp is too old to act on. */
  readonly isLate: (at: number) => boolean;
  readonly onEvent: (event: BridgeEvent) => void;
  readonly log: Pick<Log, "warn">;
}

export class RoomFrames {
  readonly #deps: RoomFramesDeps;
  /** Peers and channels that the room listed since the link came up, until its `caughtUp`. */
  #catchingUp:
    | { readonly peers: Map<number, PeerJoined>; readonly channels: Map<number, ChannelState> }
    | undefined;

  readonly #warned = new Set<string>();
  /** Numbers of sealed callers that have not been reported, until their first handshake. */
  readonly #shaking = new WeakMap<Caller, number>();

  constructor(deps: RoomFramesDeps) {
    this.#deps = deps;
  }

  /** Starts to collect what the room lists, until its `caughtUp`. */
  onUp(): void {
    this.#catchingUp = { peers: new Map(), channels: new Map() };
  }

  onDown(): void {
    this.#catchingUp = undefined;
  }

  /** Reports a sealed caller that its first handshake has opened. */
  onHandshake(caller: Caller): void {
    const number = this.#shaking.get(caller);
    if (number === undefined) return;
    this.#shaking.delete(caller);
    this.#reportJoined(caller, number);
  }

  onFrame(frame: Frame): void {
    const { viewers, home, door, tunnel } = this.#deps;
    if (PEER_FRAMES.has(frame.type) && (frame.stream < 1 || frame.stream > MAX_ROOM_NUMBER)) {
      return this.#warnOnce(`frame ${frame.type} from the room has no valid peer number`);
    }
    switch (frame.type) {
      case FrameType.peerMessage:
        return this.#onMessage(frame);
      case FrameType.received: {
        const offset = decodeOffset(frame.payload);
        if (offset === undefined) return undefined;
        return home.channels.byNumber(frame.stream)?.channel.onReceived(offset);
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
        return door.greetAgain();
      case FrameType.skipped:
        return this.#withPayload(Skipped, frame, (skipped) =>
          viewers.onSkipped(home, frame.stream, skipped),
        );
      case FrameType.drained:
        return this.#withPayload(Drained, frame, (drained) =>
          viewers.onDrained(home, frame.stream, drained),
        );
      case FrameType.acks:
        return viewers.onRawAcks(frame.stream, decodeAcks(frame.payload) ?? []);
      case FrameType.streamOpen:
      case FrameType.streamData:
      case FrameType.streamEnd:
      case FrameType.streamCancel:
      case FrameType.streamCredit:
        return tunnel.onFrame(frame);
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
    const isLate = this.#deps.isLate(message.at);
    return this.#deps.agents.has(stream)
      ? this.#deps.agents.onMessage(stream, { flags, payload: message.body, isLate })
      : this.#deps.door.onMessage(stream, message.body, isLate);
  }

  #onJoined(number: number, joined: PeerJoined): void {
    if (joined.door === "acp") return this.#deps.agents.onJoined(number, joined);
    // A door of a newer room, whose protocol this bridge does not know.
    if (joined.door !== undefined) return undefined;
    if (this.#catchingUp !== undefined) {
      this.#catchingUp.peers.set(number, joined);
      return undefined;
    }
    const caller = this.#deps.door.onJoined(number, joined);
    // A waiting guest is reported on admission instead, or after its handshake; one that was refused
    // never.
    if (this.#deps.hub.isOpen(caller)) this.#reportJoined(caller, number);
    else if (caller.sealed !== undefined) this.#shaking.set(caller, number);
  }

  #reportJoined(caller: Caller, number: number): void {
    const { grantId: grant } = caller;
    const { role = "unknown", label = "" } = caller.grant() ?? {};
    this.#deps.onEvent({ event: "peer_joined", peer: number, grant, role, label });
  }

  #onLeft(number: number): void {
    this.#catchingUp?.peers.delete(number);
    this.#deps.agents.onLeft(number);
    const caller = this.#deps.door.onLeft(number);
    if (caller === undefined) return;
    this.#deps.onEvent({ event: "peer_left", peer: number, grant: caller.grantId });
  }

  #onCaughtUp(): void {
    const listed = this.#catchingUp;
    this.#catchingUp = undefined;
    if (listed !== undefined) this.#deps.door.reconcile(listed.peers, listed.channels);
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
