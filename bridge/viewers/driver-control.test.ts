// Whose rendering paces a program, and for how long, in modelled time.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ChannelTable } from "../channels/channel-table.ts";
import { createLog } from "../log.ts";
import type { Reader } from "../terminals/readers.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { DriverControl } from "./driver-control.ts";
import type { Peer } from "./peer-table.ts";
import { PeerTable } from "./peer-table.ts";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { OneTerminal } from "../../test/support/modelled-room.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";

/** Like Node's: a cleared timer cannot be refreshed. Vitest's fake timers can. */
class Timer {
  isOver = false;
  #dueAt: number;
  readonly #run: () => void;
  readonly #ms: number;

  constructor(run: () => void, ms: number) {
    this.#run = run;
    this.#ms = ms;
    this.#dueAt = now + ms;
  }

  refresh(): this {
    this.#dueAt = now + this.#ms;
    return this;
  }

  unref(): this {
    return this;
  }

  look(): void {
    if (this.isOver || now < this.#dueAt) return;
    this.isOver = true;
    this.#run();
  }
}

let now = 0;
let timers: Timer[] = [];

function pass(milliseconds: number): void {
  now += milliseconds;
  for (const timer of timers) timer.look();
}

beforeEach(() => {
  [now, timers] = [0, []];
  vi.stubGlobal("setTimeout", (run: () => void, ms: number) => {
    const timer = new Timer(run, ms);
    timers.push(timer);
    return timer;
  });
  vi.stubGlobal("clearTimeout", (timer: Timer | undefined) => {
    if (timer !== undefined) timer.isOver = true;
  });
});
afterEach(() => void vi.unstubAllGlobals());

const PATIENCE_MS = 5_000;
const FLOOD = 1_000_000;

function world() {
  const terminal = poolTerminal();
  let credit = 0;
  const pool = new (class extends OneTerminal {
    override read(_terminal: PoolTerminal, _reader: Reader, _from: number, to: number): void {
      credit = to;
    }

    override credit(_terminal: PoolTerminal, _reader: Reader, to: number): void {
      credit = to;
    }
  })(terminal);
  const link = { send: () => {}, sendBytes: () => {}, confirmed: () => Promise.resolve() };
  const words = () => ({ output: (text: string) => text, exit: () => "" });
  const log = createLog("silent", () => {});
  const home = { link, channels: new ChannelTable(pool, link, words, log) };
  const { channel } = home.channels.open(terminal, "json", 0);
  const peers = new PeerTable();
  const driving = new DriverControl(pool, peers, { onResized: () => {}, onChanged: () => {} });
  const sits = (number: number): Peer => {
    const caller = callerWith(createGrant("g", { role: "edit" }), "people");
    const peer = peers.add(number, home, caller, { grant: "g", joinedAt: 0, subscriptions: [] });
    driving.addViewer(peer, terminal, true);
    return peer;
  };
  /** Sends all that the credit allows; the room has received it. */
  const flood = () => {
    const body = Buffer.alloc(Math.max(0, Math.min(credit, FLOOD) - channel.sent));
    channel.onOutput({ offset: channel.sent, span: body.length, body });
    channel.onReceived(channel.sent);
    return channel.sent;
  };
  const flows = () => {
    for (let before = -1; before !== channel.sent;) {
      before = channel.sent;
      flood();
    }
    return channel.sent;
  };
  return { driving, terminal, sits, flows, peers };
}

test("L13 a driver that stops acking is waited for no longer than 5 s", () => {
  const { driving, terminal, sits, flows } = world();
  const ada = sits(1);
  driving.setDriver(ada, terminal);
  driving.onAck(ada, terminal, 0);
  expect(flows()).toBeLessThan(FLOOD);
  pass(PATIENCE_MS);
  expect(flows()).toBe(FLOOD);
});

test("L13 so is the next one, after a driver that did not come back from a cut", () => {
  const { driving, terminal, sits, flows, peers } = world();
  const [ada, bo] = [sits(1), sits(2)];
  driving.setDriver(ada, terminal);
  driving.onAck(ada, terminal, 0);
  peers.remove(1);
  driving.removeMissingViewer(1, terminal);
  driving.setDriver(bo, terminal);
  driving.onAck(bo, terminal, 0);
  expect(flows()).toBeLessThan(FLOOD);
  pass(PATIENCE_MS);
  expect(flows()).toBe(FLOOD);
});
