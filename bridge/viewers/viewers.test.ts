// Input of a person, and the size that typing claims: input must not depend on the size.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ChannelTable } from "../channels/channel-table.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { toBytes, toText } from "../../protocol/text.ts";
import { PeopleTerminals } from "../people/people-terminals.ts";
import { PTY_MESSAGES } from "../dialects/pty/pty-messages.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Peer } from "./peer-table.ts";
import { Viewers } from "./viewers.ts";
import { toChannelMessages } from "./viewer-ports.ts";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { OneTerminal } from "../../test/support/modelled-room.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";

/** Two people at one terminal, and what its program gets, in order. */
function world() {
  const terminal = poolTerminal();
  const got: string[] = [];
  const faults: string[] = [];
  const host = { isBroken: false };
  const pool = new (class extends OneTerminal {
    override resize(one: PoolTerminal, cols: number, rows: number): void {
      if (host.isBroken) throw new Error("no size today");
      Object.assign(one, { cols, rows });
      got.push(`${cols}x${rows}`);
    }

    override input(_one: PoolTerminal, bytes: Uint8Array): void {
      got.push(toText(bytes));
    }

    /** Attaches never complete here: only typing matters. */
    override fetch<T>(): Promise<T> {
      return new Promise(() => {});
    }
  })(terminal);
  const log = { error: (line: string) => void faults.push(line) };
  const whole = { ...log, info: () => {}, warn: () => {}, debug: () => {} };
  const screens = { snapshot: () => new Promise<never>(() => {}) };
  const viewers = new Viewers(pool, screens, () => PTY_MESSAGES, log);
  const sent: string[] = [];
  const link = {
    send: (type: number, stream: number) => void sent.push(`${type} ${stream}`),
    sendBytes: () => {},
    confirmed: () => Promise.resolve(),
  };
  const words = toChannelMessages(() => PTY_MESSAGES);
  const home = { link, channels: new ChannelTable(pool, link, words, whole) };
  viewers.open(home);
  const comes = (number: number, role: "view" | "edit" = "edit"): Peer => {
    const caller = callerWith(createGrant("g", { role }), "people");
    const joined = { grant: "g", joinedAt: 0, subscriptions: [] };
    return viewers.add(home, { number, caller, joined });
  };
  const people = new PeopleTerminals(pool, { viewers });
  const types = (viewer: Peer, text: string): void =>
    void people.type(viewer.caller, terminal.id, toBytes(text), { viewer });
  return { viewers, terminal, got, faults, host, home, sent, comes, types };
}

test("PE13 PE70 who takes over by typing: first the size, then the key; without a seat, the key alone", () => {
  const { viewers, terminal, got, comes, types } = world();
  const ana = comes(1);
  types(ana, "early");
  viewers.attach(ana, terminal, true);
  types(ana, "unsized");
  viewers.setView(ana, terminal, { cols: 100, rows: 30 }, true);
  types(ana, "a");
  types(ana, "b");
  expect(got).toEqual(["early", "unsized", "100x30", "a", "b"]);
});

test("PE70 a size that cannot be given costs no key, and is written down", () => {
  const { viewers, terminal, got, faults, host, comes, types } = world();
  const ana = comes(1);
  viewers.attach(ana, terminal, true);
  viewers.setView(ana, terminal, { cols: 100, rows: 30 }, true);
  host.isBroken = true;
  types(ana, "a");
  expect(got).toEqual(["a"]);
  expect(faults.join("\n")).toContain("no size today");
});

test("PE70 whatever two people do around it, each key reaches the program once and in order", () => {
  const deeds = {
    attach: ({ viewers, terminal }, peer) => viewers.attach(peer, terminal, true),
    "attach to watch": ({ viewers, terminal }, peer) => viewers.attach(peer, terminal, false),
    detach: ({ viewers, terminal }, peer) => viewers.detach(peer, terminal),
    large: ({ viewers, terminal }, peer) =>
      viewers.setView(peer, terminal, { cols: 200, rows: 60 }, true),
    small: ({ viewers, terminal }, peer) =>
      viewers.setView(peer, terminal, { cols: 40, rows: 10 }, true),
    hide: ({ viewers, terminal }, peer) =>
      viewers.setView(peer, terminal, { cols: 40, rows: 10 }, false),
    drive: ({ viewers, terminal }, peer) => viewers.setDriver(peer, terminal),
    pin: ({ viewers, terminal }) => viewers.pinSize(terminal, { cols: 90, rows: 20 }),
    unpin: ({ viewers, terminal }) => viewers.pinSize(terminal, undefined),
    "lose rights": ({ viewers }, peer) => viewers.setMayType(peer, false),
  } satisfies Record<string, (all: ReturnType<typeof world>, peer: Peer) => void>;
  const names = Object.keys(deeds) as (keyof typeof deeds)[];
  const step = fc.tuple(fc.constantFrom("key", "key", ...names), fc.boolean());
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const all = world();
      const peers = [all.comes(1), all.comes(2)] as const;
      const keys: string[] = [];
      for (const [at, [what, isFirst]] of steps.entries()) {
        const peer = peers[isFirst ? 0 : 1];
        if (what === "key") {
          keys.push(`key ${at}`);
          all.types(peer, `key ${at}`);
          continue;
        }
        deeds[what](all, peer);
      }
      expect(all.got.filter((one) => one.startsWith("key"))).toEqual(keys);
    }),
  );
});

test("G49 Z20 a subscription that the room remembers is refused to someone who may no longer see the terminal", () => {
  for (const [role, isPrivate, isIn] of [
    ["view", true, false],
    ["view", false, true],
    ["edit", true, true],
  ] as const) {
    const { viewers, terminal, home, sent, comes } = world();
    Object.assign(terminal, { meta: { ...terminal.meta, private: isPrivate } });
    const key = `${terminal.id}:${terminal.epoch}:json`;
    const states = new Map([[5, { key, received: 0 }]]);
    const peer = comes(1, role);
    const subscriptions = [{ channel: 5, attach: 1, skipped: false }];
    const joined = { grant: "g", joinedAt: 0, subscriptions };
    viewers.recovery.settle(peer, { number: 1, caller: peer.caller, joined, states });
    viewers.recovery.reconcile(home, new Map(), states);
    expect(peer.attached.has(terminal.id)).toBe(isIn);
    expect(home.channels.byNumber(5) !== undefined).toBe(isIn);
    const refusals = [`${FrameType.leave} 5`, `${FrameType.channelClose} 5`];
    expect(sent.filter((frame) => refusals.includes(frame))).toEqual(isIn ? [] : refusals);
  }
});
