// Owns the bridge's side of a room over modelled terminals and a modelled link: hub, people's
// service, viewers, the pty dialect and the door, put together as a run does it.

import type { RetainedBytes } from "../../bridge/terminals/host-client.ts";
import { Hub } from "../../bridge/callers/hub.ts";
import type { ChannelPool, LinkSender } from "../../bridge/channels/channel-table.ts";
import { ChannelTable } from "../../bridge/channels/channel-table.ts";
import { PtyDialect } from "../../bridge/dialects/pty/dialect.ts";
import {
  broadcastTerminalNews,
  encodeEvent,
  PTY_MESSAGES,
} from "../../bridge/dialects/pty/pty-messages.ts";
import { RoomDoor } from "../../bridge/doors/room-door.ts";
import type { GrantTable } from "../../bridge/grants/grant-table.ts";
import { Emitter } from "../../bridge/emitter.ts";
import type { Log } from "../../bridge/log.ts";
import { TerminalSharing } from "../../bridge/people/terminal-sharing.ts";
import type { PeoplePool } from "../../bridge/people/people-terminals.ts";
import { PeopleTerminals } from "../../bridge/people/people-terminals.ts";
import { SteppingIn } from "../../bridge/people/stepping-in.ts";
import type { SpawnResult, TerminalPool } from "../../bridge/terminals/pool.ts";
import type { PlanResult, SpawnPlan, SpawnRequest } from "../../bridge/terminals/spawn-plan.ts";
import type { Meta, PoolTerminal } from "../../bridge/terminals/terminal.ts";
import { describeTerminal } from "../../bridge/terminals/terminal.ts";
import type { TerminalSource } from "../../bridge/viewers/viewer-ports.ts";
import type { PeerRoom } from "../../bridge/viewers/peer-table.ts";
import type { SnapshotSource } from "../../bridge/viewers/snapshot-queue.ts";
import { Viewers } from "../../bridge/viewers/viewers.ts";
import { toChannelMessages } from "../../bridge/viewers/viewer-ports.ts";
import type { TerminalEvent } from "../../protocol/terminal.ts";

export type ModelledPool = TerminalSource &
  ChannelPool &
  PeoplePool &
  Pick<TerminalPool, "updateMeta" | "onActivity" | "onEvent" | "onTitle">;

/** A pool of one terminal in which nothing happens, but for what a test says. */
export class OneTerminal implements ModelledPool {
  readonly terminal: PoolTerminal;
  readonly events = new Emitter<[TerminalEvent]>();
  readonly activity = new Emitter<[PoolTerminal]>();
  readonly titles = new Emitter<[PoolTerminal]>();

  constructor(terminal: PoolTerminal) {
    this.terminal = terminal;
  }

  get(id: string): PoolTerminal | undefined {
    return id === this.terminal.id ? this.terminal : undefined;
  }

  updateMeta(terminal: PoolTerminal, noted: Partial<Meta>): void {
    terminal.meta = { ...terminal.meta, ...noted };
    this.events.fire({ type: "terminal", event: "changed", terminal: describeTerminal(terminal) });
  }

  promote(terminal: PoolTerminal): void {
    terminal.meta = { ...terminal.meta, owner: "user", visible: true };
    this.events.fire({ type: "terminal", event: "promoted", terminal: describeTerminal(terminal) });
  }

  running(): PoolTerminal[] {
    return [];
  }

  plan(_request: SpawnRequest): PlanResult {
    throw new Error("nobody opens a terminal here");
  }

  start(_plan: SpawnPlan): Promise<SpawnResult> {
    throw new Error("nobody opens a terminal here");
  }

  fetch<T>(
    _terminal: PoolTerminal,
    _from: number,
    _most: number,
    _accept: (retained: RetainedBytes) => T,
    _to?: number,
  ): Promise<T> {
    return Promise.reject(new Error("nothing is retained here"));
  }

  onEvent(listener: (event: TerminalEvent) => void): () => void {
    return this.events.add(listener);
  }

  onActivity(listener: (terminal: PoolTerminal) => void): () => void {
    return this.activity.add(listener);
  }

  onTitle(listener: (terminal: PoolTerminal) => void): () => void {
    return this.titles.add(listener);
  }

  close(_terminal: PoolTerminal, _reason: string): Promise<void> {
    return Promise.resolve();
  }

  input(_terminal: PoolTerminal, _bytes: Uint8Array): void {}
  resize(_terminal: PoolTerminal, _cols: number, _rows: number): void {}
  read(..._read: Parameters<ChannelPool["read"]>): void {}
  credit(..._credit: Parameters<ChannelPool["credit"]>): void {}
  park(..._park: Parameters<ChannelPool["park"]>): void {}
  unread(..._unread: Parameters<ChannelPool["unread"]>): void {}
  announceClosed(_terminal: PoolTerminal): void {}
}

export interface ModelledRoom {
  readonly hub: Hub;
  readonly viewers: Viewers;
  readonly home: PeerRoom;
  readonly door: RoomDoor;
}

export interface RoomModel {
  readonly pool: ModelledPool;
  readonly link: LinkSender;
  readonly grants: GrantTable;
  readonly screens: SnapshotSource;
  readonly log: Log;
}

export function modelledRoom({ pool, link, grants, screens, log }: RoomModel): ModelledRoom {
  const hub = new Hub(grants, log);
  const viewers = new Viewers(pool, screens, () => PTY_MESSAGES, log);
  const home = {
    link,
    channels: new ChannelTable(
      pool,
      link,
      toChannelMessages(() => PTY_MESSAGES),
      log,
    ),
  };
  const steppingIn = new SteppingIn({
    pool,
    viewers,
    audit: { write: () => {} },
    log,
    findForeground: () => ({ group: undefined, front: [], behind: [], cwd: undefined }),
    sendForeground: (caller, foreground) => caller.send(encodeEvent("pty:foreground", foreground)),
  });
  const people = new PeopleTerminals(pool, {
    hasSteppedIn: (caller, one) => steppingIn.hasSteppedIn(caller, one),
    viewers,
  });
  const openness = new TerminalSharing({ pool, people, viewers, hub, grants });
  const presence = { onAttachmentsChanged: () => {}, markTyping: () => {} };
  hub.registerDialect(
    new PtyDialect({ people, terminalSharing: openness, steppingIn, viewers, presence }),
  );
  broadcastTerminalNews(pool, hub);
  const door = new RoomDoor({ name: "people", home, hub, viewers, grants, log });
  return { hub, viewers, home, door };
}
