// Owns the link to the relay's room: builds the doors behind it, sends the room the current grants
// and the farewell, and handles its loss. The meaning of the room's frames is in room-frames.ts.

import { setTimeout as delay } from "node:timers/promises";
import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import type { Farewell } from "../../protocol/link.ts";
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
import { ChannelSealer } from "../sealed/channel-sealer.ts";
import { SealedCaller } from "../sealed/sealed-caller.ts";
import { SealedSessions } from "../sealed/sealed-sessions.ts";
import type { PeerRoom } from "../viewers/peer-table.ts";
import type { Viewers } from "../viewers/viewers.ts";
import { RoomFrames } from "./room-frames.ts";
import type { BridgeEvent } from "./run-options.ts";

/**
 * After this long without output and with bytes unconfirmed, the bridge requests a confirmation, so
 * that a sleeping room's position stays known.
 */
export const CONFIRM_AFTER_MS = 3_000;

/** Covers a round trip around the world to a busy relay. */
const FAREWELL_MS = 1_000;

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
  /** Whether people's links are sealed. */
  readonly isSealed: boolean;
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
  readonly #agents: RelayAgents;
  readonly #tunnel: HttpTunnel;
  readonly #frames: RoomFrames;
  readonly #disposables = new DisposableStore();
  #confirmTimer: NodeJS.Timeout | undefined;

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
        onFrame: logErrors(log, "a frame of the room", (frame) => this.#frames.onFrame(frame)),
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
        this.#scheduleConfirm();
      },
      confirmed: () => this.#link.confirmed(),
    };
    const channels = new ChannelTable(pool, link, deps.messages, log, {
      forwardsFrames: true,
      isLocal: address.loopback,
      ...(deps.isSealed ? { createSealer: (channel) => new ChannelSealer(channel) } : {}),
    });
    this.#home = { link, channels };
    const sessions = deps.isSealed ? new SealedSessions() : undefined;
    const door = new RoomDoor({
      name: "people",
      home: this.#home,
      hub,
      viewers,
      grants,
      log,
      isTakeover: deps.isTakeover,
      ...(sessions === undefined ? {} : { seal: (caller) => new SealedCaller(caller, sessions) }),
      onHandshake: (caller) => this.#frames.onHandshake(caller),
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
      sessions,
      isLate: (at) => this.#link.isLate(at),
    });
    this.#frames = new RoomFrames({
      home: this.#home,
      door,
      agents: this.#agents,
      tunnel: this.#tunnel,
      viewers,
      hub,
      isLate: (at) => this.#link.isLate(at),
      onEvent: (event) => deps.onEvent(event),
      log,
    });
    this.#disposables.add(
      grants.onEvent((listed) => {
        const update = changeForRoom(listed);
        if (update !== undefined) this.#link.send(FrameType.grants, 0, toPayload(update));
        const hasEnded = listed.event === "revoked" || listed.event === "expired";
        // Its holders may have left, with the keys that they got.
        if (hasEnded) this.#home.channels.rekeyFor(listed.grant.id);
      }),
    );
  }

  start(): void {
    this.#link.start();
  }

  stop(): void {
    this.#agents.onLinkLost();
    this.#disposables.dispose();
    clearTimeout(this.#confirmTimer);
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
    this.#frames.onUp();
    this.#link.send(FrameType.grants, 0, toPayload(grantsForRoom(this.#deps.grants.list())));
    const { graceMs } = this.#deps;
    const running: Farewell = { state: "running", graceMs };
    this.#link.send(FrameType.farewell, 0, toPayload(running));
    this.#deps.onEvent({ event: "link_up" });
  }

  #onDown(reason: string, own: boolean): void {
    this.#frames.onDown();
    this.#home.channels.suspendAll();
    this.#tunnel.dropAll("the link was lost");
    this.#agents.onLinkLost();
    this.#deps.onEvent({ event: "link_lost", reason, own });
  }

  #scheduleConfirm(): void {
    if (this.#confirmTimer !== undefined) {
      this.#confirmTimer.refresh();
      return;
    }
    this.#confirmTimer = setTimeout(() => {
      this.#confirmTimer = undefined;
      if (this.#home.channels.hasUnconfirmed()) this.#link.nudge();
    }, CONFIRM_AFTER_MS);
    this.#confirmTimer.unref();
  }
}
