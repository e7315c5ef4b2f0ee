// Owns the accepted link, and whether the bridge is here, silent or away, and why: accepts a link,
// watches it, ends it, and keeps all of this for a room that hibernates. Who may have the link is
// bridge-door.ts's to decide, the meaning of its frames is in link-frames.ts. Everything here is
// synchronous, as the rest of the way from a message to its sends.

import { CloseCode } from "../../protocol/codes.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { LINK_VERSION, NUDGE_AFTER_QUIET_MS } from "../../protocol/limits.ts";
import type { Farewell } from "../../protocol/link.ts";
import { BRIDGE_SILENT_MESSAGE } from "./admission.ts";
import { BridgeWatch } from "./bridge-watch.ts";
import type { Channels } from "./channels.ts";
import type { LinkLoss } from "./farewell.ts";
import { toAwayFacts } from "./farewell.ts";
import type { GrantList } from "./grants.ts";
import type { Refusal } from "./hello.ts";
import { Link } from "./link.ts";
import type { AwayState, Peers } from "./peers.ts";
import { encodeBridgeState } from "./peers.ts";
import { storeCounts, takeCounts } from "./received-counts.ts";
import type { Records } from "./records.ts";
import { withoutChannels } from "./records.ts";
import type { Socket, SocketState } from "./socket-state.ts";
import { splitChannels } from "./socket-state.ts";
import { closeAndRecord } from "./sockets.ts";
import type { Candidate } from "./takeover-candidates.ts";
import type { Tunnel } from "./tunnel.ts";

const GIVEN_UP_MESSAGE = "This link did not answer for 10 minutes: connect again.";

export interface BridgePresenceDeps {
  readonly records: Pick<Records, "away" | "farewell" | "overflowChannels">;
  readonly peers: Pick<Peers, "all" | "broadcast">;
  readonly channels: Pick<Channels, "counts" | "entries" | "restore" | "sendStates" | "toStored">;
  readonly tunnel: Pick<Tunnel, "abandon" | "refuseWaiting">;
  readonly grants: Pick<GrantList, "isEnding">;
  /** Relay and bridge share a machine, where only a dead process cuts a socket. */
  readonly isOneMachine: boolean;
  /** Returns Unix ms of the last `ping` on a socket, which the runtime answers. */
  readonly getPingedAt: (socket: WebSocket) => number | undefined;
  /** Fires when a bridge got the link, before anything is sent or scheduled. */
  readonly onAccepted: () => void;
  /** Fires when the link is lost or replaced: messages of agents under way were lost with it. */
  readonly closeAgents: () => void;
  /** Offers the lost link to bridges that wait. Returns whether one took it. */
  readonly giveToWaiting: () => boolean;
  /** Fires when the bridge answers again, or is new: the next check may be due earlier. */
  readonly updateAlarm: () => void;
  readonly log: (line: string) => void;
}

export class BridgePresence {
  readonly #deps: BridgePresenceDeps;
  readonly #watch: BridgeWatch;
  #link: Link | undefined;
  /** Ticket for the received counts, in case the room hibernates. */
  #countsTicket: string | undefined;
  /** Why there is no link, and since when, if known. */
  #away: AwayState = {};

  constructor(deps: BridgePresenceDeps) {
    this.#deps = deps;
    this.#watch = new BridgeWatch({
      getPingedAt: () => this.#link && deps.getPingedAt(this.#link.socket),
      nudge: () => this.#link?.send(FrameType.nudge, 0),
      onSilent: (since) => this.#onSilent(since),
      onRecovered: () => this.#onRecovered(),
      onGivenUp: () => {
        const refusal = { code: CloseCode.tryLater, reason: GIVEN_UP_MESSAGE };
        if (this.#link !== undefined) this.end(this.#link, refusal);
      },
    });
  }

  get link(): Link | undefined {
    return this.#link;
  }

  /** Returns the last sign of life of a silent bridge; undefined while it responds. */
  get silentSince(): number | undefined {
    return this.#watch.silentSince;
  }

  /** Returns since when there is no link, if known. */
  get awaySince(): number | undefined {
    return this.#away.since;
  }

  /** Whether a bridge is connected and not silent. */
  get isAnswering(): boolean {
    return this.#link !== undefined && this.silentSince === undefined;
  }

  /** Encodes what peers get about the bridge. */
  encodeState(): string {
    const since = this.silentSince;
    if (this.#link === undefined || this.#away.how === "ended")
      return encodeBridgeState(this.#away);
    return encodeBridgeState(since === undefined ? undefined : { since, how: "silent" });
  }

  /** Restores the link and its channels after hibernation. */
  resume(socket: Socket, state: Extract<SocketState, { kind: "link" }>): void {
    this.#link = new Link(socket, state);
    this.#watch.resume(state.silentSince);
    const entries = [...state.channels, ...this.#deps.records.overflowChannels];
    const counts = takeCounts(state.counts);
    for (const entry of entries) {
      this.#deps.channels.restore({ entry, received: counts.get(entry[0])?.received ?? null });
    }
    this.save();
  }

  /** Restores why the bridge is away and where its channels stood, unless a link was restored. */
  resumeAway(): void {
    if (this.#link !== undefined) return;
    const { away } = this.#deps.records;
    this.#away = withoutChannels(away);
    for (const stored of away?.channels ?? []) this.#deps.channels.restore(stored);
  }

  /** Saves the link and its channels for after hibernation. */
  save(): void {
    const link = this.#link;
    if (link === undefined) return;
    const { channels, records } = this.#deps;
    const { inside, beyond } = splitChannels(channels.entries());
    const { instance, epoch } = link;
    this.#countsTicket ??= storeCounts(channels.counts);
    const [counts, silentSince] = [this.#countsTicket, this.silentSince];
    link.socket.setState({
      kind: "link",
      instance,
      epoch,
      channels: inside,
      counts,
      ...(silentSince === undefined ? {} : { silentSince }),
    });
    records.overflowChannels = beyond;
  }

  /** Gives the link to a bridge. `old` is the reason with which the present link ends. */
  accept({ socket, hello }: Candidate, old?: Refusal): void {
    const { records, peers, channels, grants } = this.#deps;
    if (this.#link !== undefined && old !== undefined) this.#close(this.#link, old);
    this.#deps.closeAgents();
    const link = new Link(socket, hello);
    this.#link = link;
    this.#deps.onAccepted();
    this.#watch.restart(Date.now());
    this.#away = {};
    records.away = undefined;
    records.farewell = undefined;
    grants.isEnding = false;
    this.save();
    link.batch(() => {
      link.sendJson(FrameType.accepted, 0, { version: LINK_VERSION, now: Date.now() });
      channels.sendStates(link);
      for (const peer of peers.all()) {
        link.sendJson(FrameType.peerJoined, peer.number, peer.describe());
      }
      link.send(FrameType.caughtUp, 0);
    });
    peers.broadcast(this.encodeState());
    this.#deps.updateAlarm();
    this.#log(link, `up, ${JSON.stringify(hello.software)}`);
  }

  /** Records a message from the link. Hot path. */
  recordMessage(): void {
    this.#watch.recordMessage(Date.now());
  }

  /** Nudges a bridge that was quiet for `quietMs`. */
  check(quietMs = NUDGE_AFTER_QUIET_MS): void {
    if (this.#link !== undefined) this.#watch.check(quietMs, Date.now());
  }

  /** Records a message or request forwarded to the bridge, which should not stay quiet. Hot path. */
  recordForwarded(now = Date.now()): void {
    this.#watch.recordForwarded(now);
  }

  onFarewell(farewell: Farewell): void {
    this.#deps.records.farewell = farewell;
    if (farewell.state !== "ended" && farewell.state !== "left") return;
    // Sent before peers' links or their tunnel end, so that they get the real reason.
    this.#deps.grants.isEnding = farewell.state === "ended";
    this.#away = {
      since: Date.now(),
      ...toAwayFacts(farewell, this.#toLinkLoss(Date.now(), false)),
    };
    this.#deps.peers.broadcast(encodeBridgeState(this.#away));
  }

  /** Closes the link and handles its loss. */
  end(link: Link, refusal: Refusal): void {
    this.#close(link, refusal);
    this.#onLost(link, false);
  }

  /** Handles a link whose socket closed. */
  onSocketClosed(link: Link, isCut: boolean): void {
    this.#log(link, "lost: its socket closed");
    this.#onLost(link, isCut);
  }

  #close(link: Link, { code, reason }: Refusal): void {
    closeAndRecord(link.socket, code, reason);
    this.#deps.tunnel.abandon(link, Date.now());
    this.#log(link, `ended: ${code} ${reason}`);
  }

  #onLost(link: Link, isCut: boolean): void {
    const { records, peers, channels, tunnel } = this.#deps;
    const since = this.#away.since ?? this.silentSince ?? Date.now();
    this.#link = undefined;
    this.#watch.restart(0);
    this.#deps.closeAgents();
    takeCounts(this.#countsTicket);
    this.#countsTicket = undefined;
    const facts = toAwayFacts(records.farewell, this.#toLinkLoss(since, isCut));
    this.#away = { since, ...facts };
    records.away = { since, ...facts, channels: channels.toStored() };
    tunnel.abandon(link, since);
    // These offsets are exact now, since nothing is under way; after hibernation they would be
    // lower bounds.
    for (const peer of peers.all()) if (peer.subscriptions.size > 0) peer.save();
    if (!this.#deps.giveToWaiting()) peers.broadcast(this.encodeState());
  }

  /** Handles a silent bridge. The link stays open, and any message ends the silence. */
  #onSilent(since: number): void {
    const link = this.#link;
    if (link === undefined) return;
    this.save();
    this.#deps.tunnel.refuseWaiting(link, {
      reason: BRIDGE_SILENT_MESSAGE,
      code: "bridge_away",
      since,
    });
    this.#deps.peers.broadcast(this.encodeState());
    this.#log(link, "silent: it did not answer a nudge");
  }

  #onRecovered(): void {
    const link = this.#link;
    if (link === undefined) return;
    this.save();
    this.#deps.peers.broadcast(this.encodeState());
    link.send(FrameType.greetAgain, 0);
    this.#deps.updateAlarm();
    this.#log(link, "answers again");
  }

  #toLinkLoss(since: number, isCut: boolean): LinkLoss {
    return { since, isCut, isOneMachine: this.#deps.isOneMachine };
  }

  #log({ instance, epoch }: Link, what: string): void {
    this.#deps.log(`link ${instance.slice(0, 8)}/${epoch} ${what}`);
  }
}
