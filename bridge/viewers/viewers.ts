// Owns the viewers of terminals, in the relay's room and in rooms on this machine: joining,
// attaching, driving and acks. Recovery after a disconnect is in viewer-recovery.ts. Knows no
// dialect: messages are injected, and permissions are checked before.

import { FrameType } from "../../protocol/frame-types.ts";
import { toPayload } from "../../protocol/json.ts";
import type { Acked, Drained, Skipped } from "../../protocol/link.ts";
import type { ChannelAck } from "../../protocol/output.ts";
import { toSealed } from "../channels/rendition.ts";
import type { Caller } from "../callers/caller.ts";
import { DisposableStore } from "../disposable-store.ts";
import { logFault } from "../faults.ts";
import type { Log } from "../log.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Size } from "./size-arbiter.ts";
import type { ResumePoint } from "./attachments.ts";
import { Attachments } from "./attachments.ts";
import { sendNewKey } from "./channel-keys.ts";
import { DriverControl } from "./driver-control.ts";
import type { TerminalSource, MessagesByRendition } from "./viewer-ports.ts";
import type { PeerRoom, Peer } from "./peer-table.ts";
import { PeerTable } from "./peer-table.ts";
import { ViewerNotices } from "./viewer-notices.ts";
import type { JoiningPeer } from "./viewer-recovery.ts";
import { ViewerRecovery } from "./viewer-recovery.ts";
import type { SnapshotSource } from "./snapshot-queue.ts";

export class Viewers {
  /** Restores attachments when a room is back after a disconnect. */
  readonly recovery: ViewerRecovery;
  readonly #source: TerminalSource;
  readonly #log: Pick<Log, "error">;
  readonly #peers = new PeerTable();
  /** Each with its subscriptions. */
  readonly #homes = new Map<PeerRoom, DisposableStore>();
  readonly #attachments: Attachments;
  readonly #driverControl: DriverControl;

  constructor(
    source: TerminalSource,
    screens: SnapshotSource,
    messages: MessagesByRendition,
    log: Pick<Log, "error">,
  ) {
    this.#source = source;
    this.#log = log;
    this.#attachments = new Attachments(source, this.#peers, screens, messages, {
      onJoined: (peer, terminal) => this.#driverControl.onJoined(peer, terminal),
      onGone: (peer, terminal) => this.#driverControl.removeViewer(peer, terminal),
      onFault: (terminal, error) => logFault(log, `attaching to ${terminal.id}`, error),
    });
    const notices = new ViewerNotices({
      source,
      peers: this.#peers,
      homes: () => this.#homes.keys(),
      messages,
      getSizers: (terminal) => this.#driverControl.getSizers(terminal),
    });
    this.#driverControl = new DriverControl(source, this.#peers, {
      onResized: (terminal) => notices.sendResized(terminal),
      onChanged: (terminal, driver, viewers) => notices.driverChanged(terminal, driver, viewers),
    });
    this.recovery = new ViewerRecovery({
      source,
      peers: this.#peers,
      attachments: this.#attachments,
      driverControl: this.#driverControl,
      addViewer: (peer, terminal, mayType) => this.#addViewer(peer, terminal, mayType),
    });
  }

  all(): readonly Peer[] {
    return this.#peers.all();
  }

  get(number: number): Peer | undefined {
    return this.#peers.get(number);
  }

  /** Returns the peer of a caller; undefined if the caller is in no room. */
  findByCaller(caller: Caller): Peer | undefined {
    return this.#peers.findByCaller(caller);
  }

  /** Adds a room, so that its peers may join. */
  open(home: PeerRoom): void {
    const ends = new DisposableStore();
    this.#homes.set(home, ends);
    ends.add(
      home.channels.onBroken((terminal, rendition, isKept) => {
        for (const peer of this.#peers.listAttachedTo(terminal.id))
          this.#driverControl.onPositionLost(peer, terminal);
        this.#attachments.restart(home, terminal, rendition, isKept);
      }),
      home.channels.onFinished((open) => this.#attachments.onFinished(home, open)),
      home.channels.onRekeyed((open) => {
        for (const peer of this.#peers.listAttachedTo(open.terminal.id))
          if (peer.home === home) sendNewKey(peer, open);
      }),
    );
  }

  /** Removes a room after all its peers have left. */
  close(home: PeerRoom): void {
    this.#homes.get(home)?.dispose();
    this.#homes.delete(home);
    for (const open of home.channels.list()) home.channels.close(open);
  }

  /** Adds a peer, which can get messages from then on; `recovery.settle` follows. */
  add(home: PeerRoom, { number, caller, joined }: JoiningPeer): Peer {
    return this.#peers.add(number, home, caller, joined);
  }

  removePeer(number: number): Peer | undefined {
    const peer = this.#peers.remove(number);
    if (peer === undefined) return undefined;
    for (const id of peer.attached.keys()) {
      const terminal = this.#source.get(id);
      if (terminal === undefined) continue;
      this.#driverControl.removeViewer(peer, terminal);
      this.#attachments.closeIfAlone(peer.home, terminal);
    }
    return peer;
  }

  /** Handles a peer that is too far behind; `drained` will follow. */
  onSkipped(home: PeerRoom, channel: number, { peer: number, attach, sent }: Skipped): void {
    const found =
      this.#findSubscription(home, channel, number, attach) ?? this.#findEnded(channel, number);
    if (found === undefined) return;
    this.#driverControl.onPositionLost(found.peer, found.terminal);
    this.#attachments.onSkipped(found.peer, found.terminal, sent);
  }

  onDrained(home: PeerRoom, channel: number, { peer: number, attach }: Drained): void {
    const found = this.#findSubscription(home, channel, number, attach);
    if (found !== undefined) this.#attachments.onDrained(found.peer, found.terminal);
  }

  /** Handles acks of a raw viewer that the room passes on. */
  onRawAcks(number: number, acks: readonly ChannelAck[]): void {
    const peer = this.#peers.get(number);
    if (peer === undefined) return;
    for (const { channel, offset } of acks) {
      for (const [id, attachment] of peer.attached) {
        const terminal = attachment.channel === channel ? this.#source.get(id) : undefined;
        if (terminal !== undefined) this.#onRendered(peer, terminal, offset);
      }
    }
  }

  /** Handles an ack of a JSON viewer, and forwards it to the room. */
  onAck(peer: Peer, terminal: PoolTerminal, offset: number): void {
    const attachment = peer.attached.get(terminal.id);
    if (attachment?.channel === undefined) return;
    this.#onRendered(peer, terminal, offset);
    const acked: Acked = { peer: peer.number, attach: attachment.attach, offset };
    peer.home.link.send(FrameType.acked, attachment.channel, toPayload(acked));
  }

  /** Attaches a peer, in its own rendition unless another is given. */
  attach(
    peer: Peer,
    terminal: PoolTerminal,
    mayType: boolean,
    place?: ResumePoint,
    requested = peer.rendition,
  ): void {
    const rendition = peer.caller.sealed === undefined ? requested : toSealed(requested);
    if (place !== undefined && this.#attachments.tryKeepPosition(peer, terminal, rendition, place))
      return;
    this.#driverControl.onPositionLost(peer, terminal);
    if (this.#attachments.attach(peer, terminal, rendition, place))
      this.#addViewer(peer, terminal, mayType);
  }

  detach(peer: Peer, terminal: PoolTerminal): void {
    this.#driverControl.removeViewer(peer, terminal);
    this.#attachments.detach(peer, terminal);
  }

  /** Detaches the callers that match: they may no longer see the terminal. */
  detachMatching(terminal: PoolTerminal, matches: (caller: Caller) => boolean): void {
    for (const peer of this.#peers.listAttachedTo(terminal.id)) {
      if (matches(peer.caller)) this.detach(peer, terminal);
    }
    for (const { channels } of this.#homes.keys()) channels.rekey(terminal);
  }

  /** Makes a peer the driver before its input is written; a fault here must not lose the key. */
  claimByTyping(peer: Peer, terminal: PoolTerminal): void {
    try {
      this.#driverControl.claimByTyping(peer, terminal);
    } catch (error) {
      logFault(this.#log, `sizing ${terminal.id} for what is typed`, error);
    }
  }

  /** Starts pacing by a peer whose input was written. */
  onTyped(peer: Peer, terminal: PoolTerminal): void {
    peer.home.channels.recordTyping(terminal);
    this.#driverControl.startPacing(peer, terminal);
  }

  /** Makes a peer the driver by takeover or handover. */
  setDriver(peer: Peer, terminal: PoolTerminal): void {
    this.#driverControl.setDriver(peer, terminal);
  }

  getDriver(terminal: PoolTerminal): Peer | undefined {
    return this.#driverControl.getDriver(terminal);
  }

  /** Sends the driver again after a caller changed its name. */
  onRenamed(caller: Caller): void {
    const peer = this.#peers.findByCaller(caller);
    for (const id of peer?.attached.keys() ?? []) {
      const terminal = this.#source.get(id);
      if (terminal !== undefined && this.getDriver(terminal) === peer)
        this.#driverControl.emitDriver(terminal);
    }
  }

  /** Gives or revokes the right to type in all its attachments. */
  setMayType(peer: Peer, mayType: boolean): void {
    for (const id of peer.attached.keys()) {
      const terminal = this.#source.get(id);
      if (terminal !== undefined) this.#driverControl.setMayDrive(peer, terminal, mayType);
    }
  }

  /** Pins the size; `undefined` unpins. */
  pinSize(terminal: PoolTerminal, size: Size | undefined): void {
    this.#driverControl.pinSize(terminal, size);
  }

  requestSize(peer: Peer, terminal: PoolTerminal, size: Size): void {
    this.#driverControl.requestSize(peer, terminal, size);
  }

  setView(peer: Peer, terminal: PoolTerminal, size: Size, visible: boolean): void {
    this.#driverControl.setView(peer, terminal, size, visible);
  }

  #addViewer(peer: Peer, terminal: PoolTerminal, mayType: boolean): void {
    if (terminal.life.state !== "finished") this.#driverControl.addViewer(peer, terminal, mayType);
  }

  #onRendered(peer: Peer, terminal: PoolTerminal, offset: number): void {
    this.#attachments.onAck(peer, terminal, offset);
    if (peer.attached.get(terminal.id)?.isJoined === true) {
      this.#driverControl.onAck(peer, terminal, offset);
    }
  }

  #findSubscription(
    home: PeerRoom,
    channel: number,
    number: number,
    attach: number,
  ): { peer: Peer; terminal: PoolTerminal } | undefined {
    const terminal = home.channels.byNumber(channel)?.terminal;
    const peer = this.#peers.get(number);
    if (terminal === undefined || peer?.attached.get(terminal.id)?.attach !== attach) {
      return undefined;
    }
    return { peer, terminal };
  }

  /** Finds a peer whose terminal ended before the room reported it as skipped. */
  #findEnded(channel: number, number: number): { peer: Peer; terminal: PoolTerminal } | undefined {
    const peer = this.#peers.get(number);
    const [id] = [...(peer?.ended ?? [])].find(([, ended]) => ended.channel === channel) ?? [];
    const terminal = id === undefined ? undefined : this.#source.get(id);
    return peer === undefined || terminal === undefined ? undefined : { peer, terminal };
  }
}
