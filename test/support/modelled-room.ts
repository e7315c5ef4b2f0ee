// Owns the bridge's side of a room over modelled terminals and a modelled link: hub, people's
// service, viewers, the pty dialect and the door, put together as a run does it.

import type { Retained } from "../../bridge/terminals/host-client.ts";
import { Hub } from "../../bridge/callers/hub.ts";
import type { ChannelFeed, LinkSender } from "../../bridge/channels/table.ts";
import { ChannelTable } from "../../bridge/channels/table.ts";
import { PtyDialect } from "../../bridge/dialects/pty/dialect.ts";
import { tellNews } from "../../bridge/dialects/pty/news.ts";
import { foregroundWords, PTY_WORDS } from "../../bridge/dialects/pty/words.ts";
import { RoomDoor } from "../../bridge/doors/room-door.ts";
import type { GrantTable } from "../../bridge/grants/table.ts";
import { Listeners } from "../../bridge/listeners.ts";
import type { Log } from "../../bridge/log.ts";
import { Openness } from "../../bridge/people/openness.ts";
import type { PeoplePool } from "../../bridge/people/service.ts";
import { PeopleTerminals } from "../../bridge/people/service.ts";
import { SteppingIn } from "../../bridge/people/stepping-in.ts";
import type { TerminalPool } from "../../bridge/terminals/pool.ts";
import type { Meta, PoolTerminal } from "../../bridge/terminals/terminal.ts";
import { describe } from "../../bridge/terminals/terminal.ts";
import type { Feed } from "../../bridge/viewers/feed.ts";
import type { Home } from "../../bridge/viewers/peers.ts";
import type { SnapshotSource } from "../../bridge/viewers/snapshots.ts";
import { Viewers } from "../../bridge/viewers/viewers.ts";
import { channelWords } from "../../bridge/viewers/words.ts";
import type { TerminalEvent } from "../../protocol/terminal.ts";

export type ModelledPool = Feed &
  ChannelFeed &
  PeoplePool &
  Pick<TerminalPool, "note" | "onActivity" | "onEvent" | "onTitle">;

/** A pool of one terminal in which nothing happens, but for what a test says. */
export class OneTerminal implements ModelledPool {
  readonly terminal: PoolTerminal;
  readonly events = new Listeners<[TerminalEvent]>();
  readonly activity = new Listeners<[PoolTerminal]>();
  readonly titles = new Listeners<[PoolTerminal]>();

  constructor(terminal: PoolTerminal) {
    this.terminal = terminal;
  }

  get(id: string): PoolTerminal | undefined {
    return id === this.terminal.id ? this.terminal : undefined;
  }

  note(terminal: PoolTerminal, noted: Partial<Meta>): void {
    terminal.meta = { ...terminal.meta, ...noted };
    this.events.tell({ type: "terminal", event: "changed", terminal: describe(terminal) });
  }

  promote(terminal: PoolTerminal): void {
    terminal.meta = { ...terminal.meta, owner: "user", visible: true };
    this.events.tell({ type: "terminal", event: "promoted", terminal: describe(terminal) });
  }

  running(): PoolTerminal[] {
    return [];
  }

  plan(): never {
    throw new Error("nobody opens a terminal here");
  }

  start(): never {
    throw new Error("nobody opens a terminal here");
  }

  fetch<T>(
    _terminal: PoolTerminal,
    _from: number,
    _most: number,
    _accept: (retained: Retained) => T,
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
  read(..._read: Parameters<ChannelFeed["read"]>): void {}
  credit(..._credit: Parameters<ChannelFeed["credit"]>): void {}
  park(..._park: Parameters<ChannelFeed["park"]>): void {}
  unread(..._unread: Parameters<ChannelFeed["unread"]>): void {}
  announceClosed(_terminal: PoolTerminal): void {}
}

export interface ModelledRoom {
  readonly hub: Hub;
  readonly viewers: Viewers;
  readonly home: Home;
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
  const viewers = new Viewers(pool, screens, () => PTY_WORDS, log);
  const home = {
    link,
    channels: new ChannelTable(
      pool,
      link,
      channelWords(() => PTY_WORDS),
      log,
    ),
  };
  const steppingIn = new SteppingIn({
    pool,
    viewers,
    audit: { write: () => {} },
    log,
    foregroundOf: () => ({ group: undefined, front: [], behind: [], cwd: undefined }),
    tell: (caller, foreground) => caller.tell(foregroundWords(foreground)),
  });
  const people = new PeopleTerminals(pool, {
    hasSteppedIn: (caller, one) => steppingIn.holds(caller, one),
  });
  const openness = new Openness({ pool, people, viewers, hub, grants });
  hub.speak(new PtyDialect(people, openness, steppingIn, viewers));
  tellNews(pool, hub);
  const door = new RoomDoor({ name: "people", home, hub, viewers, grants, log });
  return { hub, viewers, home, door };
}
