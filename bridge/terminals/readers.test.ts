// Several readers with a modelled pty host, which follows the rules of its one cursor.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Output } from "../../protocol/output.ts";
import type { HostCursor, Reader } from "./readers.ts";
import { Readers } from "./readers.ts";

const WINDOW = 40;

class Follower implements Reader {
  readonly #readers: Readers;
  readonly from: number;
  readonly got: number[] = [];
  reading = true;
  parked = false;

  constructor(readers: Readers, from: number) {
    this.#readers = readers;
    this.from = from;
    readers.read(this, from, from + WINDOW);
  }

  get at(): number {
    return this.from + this.got.length;
  }

  onOutput({ offset, body }: Output): void {
    expect(offset).toBeLessThanOrEqual(this.at);
    for (const byte of body.subarray(this.at - offset)) this.got.push(byte);
  }

  onGap(): void {}

  onExited(): void {}

  park(): void {
    this.parked = true;
    this.#readers.park(this, this.at);
  }

  extend(): void {
    if (this.parked) return;
    this.#readers.credit(this, this.at + WINDOW);
  }

  again(): void {
    this.parked = false;
    this.#readers.read(this, this.at, this.at + WINDOW);
  }

  stop(): void {
    this.reading = false;
    this.#readers.unread(this);
  }
}

class Host implements HostCursor {
  readonly stream: number[] = [];
  /** In flight to the bridge: frames of a replaced read still arrive. */
  readonly #wire: Output[] = [];
  #cursor: number | undefined;
  #credit = 0;
  /** While nothing is read: the offset from which a reader will continue. */
  kept: number | undefined;

  read(from: number, credit: number): void {
    this.#cursor = from;
    this.#credit = credit;
  }

  credit(offset: number): void {
    this.#credit = Math.max(this.#credit, offset);
  }

  park(from: number): void {
    this.#cursor = undefined;
    this.kept = from;
  }

  unread(): void {
    this.#cursor = undefined;
    this.kept = undefined;
  }

  send(most: number): void {
    if (this.#cursor === undefined) return;
    const end = Math.min(this.stream.length, this.#credit, this.#cursor + most);
    if (end <= this.#cursor) return;
    const body = Uint8Array.from(this.stream.slice(this.#cursor, end));
    this.#wire.push({ offset: this.#cursor, span: body.length, body });
    this.#cursor = end;
  }

  arrive(readers: Readers): boolean {
    const next = this.#wire.shift();
    if (next !== undefined) readers.onOutput(next);
    return next !== undefined;
  }
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ print: fc.integer({ min: 1, max: 30 }) }) },
  { weight: 4, arbitrary: fc.record({ send: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 4, arbitrary: fc.constant({ arrive: true }) },
  { weight: 3, arbitrary: fc.record({ extend: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ join: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ again: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ park: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ stop: fc.nat() }) },
);

test("T7 readers that come, go, stall, park and start again each get every byte once, in order", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const host = new Host();
      const readers = new Readers(host);
      const followers: Follower[] = [];
      const living = () => followers.filter(({ reading }) => reading);
      const pick = (n: number) => living()[n % Math.max(1, living().length)];
      for (const one of steps) {
        if ("print" in one) for (let i = 0; i < one.print; i++) host.stream.push(i % 251);
        if ("send" in one) host.send(one.send);
        if ("arrive" in one) host.arrive(readers);
        if ("extend" in one) pick(one.extend)?.extend();
        if ("join" in one && followers.length < 5) {
          followers.push(new Follower(readers, one.join % (host.stream.length + 1)));
        }
        if ("again" in one) pick(one.again)?.again();
        if ("park" in one) pick(one.park)?.park();
        if ("stop" in one) pick(one.stop)?.stop();
      }
      const parked = living().filter((one) => one.parked);
      if (parked.length > 0 && parked.length === living().length) {
        expect(host.kept).toBe(Math.min(...parked.map(({ at }) => at)));
      }
      for (const one of parked) one.again();
      for (let i = 0; i < 2_000; i++) {
        host.send(50);
        while (host.arrive(readers));
        for (const follower of living()) follower.extend();
      }
      for (const follower of living()) {
        expect(follower.got).toEqual(host.stream.slice(follower.from));
      }
    }),
    { numRuns: 300 },
  );
});

test("V3 T7 one that reads without limit does not keep its credit when a paced one comes", () => {
  const host = new Host();
  const readers = new Readers(host);
  const all: number[] = [];
  const recorder: Reader = {
    onOutput: ({ offset, body }) => void all.push(...body.subarray(all.length - offset)),
    onGap: () => {},
    onExited: () => {},
  };
  const print = (bytes: number): void => {
    for (let i = 0; i < bytes; i++) host.stream.push(i % 251);
    for (let i = 0; i < 20; i++) host.send(50);
    while (host.arrive(readers));
  };
  readers.read(recorder, 0, Number.MAX_SAFE_INTEGER);
  print(100);
  const viewer = new Follower(readers, 100);
  print(200);
  expect([viewer.at, all.length]).toEqual([100 + WINDOW, 100 + WINDOW]);
  viewer.extend();
  print(0);
  expect([viewer.at, all.length]).toEqual([100 + 2 * WINDOW, 100 + 2 * WINDOW]);
  viewer.stop();
  print(0);
  expect(all).toEqual(host.stream);
  const late = new Follower(readers, 300);
  print(200);
  expect([late.at, all.length]).toEqual([300 + WINDOW, 300 + WINDOW]);
});
