// Answers to fetches, with a socket whose queue is a number.

import { expect, test } from "vitest";
import type { Fetch } from "../../protocol/host.ts";
import { FRAME_SOFT_BYTES, KiB, REPLAY_BYTES } from "../../protocol/limits.ts";
import type { FetchOutlet } from "./fetches.ts";
import { Fetches } from "./fetches.ts";
import { Ring } from "./ring.ts";

/** The same as in connection.ts. */
const BACKED_UP = 512 * KiB;

interface Chunk {
  readonly request: number;
  readonly from: number;
  readonly to: number;
  readonly isLast: boolean;
}

function world(bytes = REPLAY_BYTES) {
  const ring = new Ring();
  ring.append(Buffer.alloc(bytes, "x"));
  const chunks: Chunk[] = [];
  const failures: number[] = [];
  let queued = 0;
  const outlet: FetchOutlet = {
    get ready() {
      return queued <= BACKED_UP;
    },
    chunk: ({ request }, from_, from, to, isLast) => {
      // Throws if the range is not retained.
      from_.copy(from, to, new Uint8Array(to - from), 0);
      queued += to - from;
      chunks.push({ request, from, to, isLast });
    },
    failed: (request) => void failures.push(request),
  };
  const range = ({ from, most, to }: Fetch) => {
    const start = Math.min(ring.end, Math.max(from, ring.first, ring.end - most));
    return { from: start, to: Math.max(start, Math.min(ring.end, to ?? ring.end)) };
  };
  const terminals = new Map([[1, { ring, range }]]);
  const fetches = new Fetches((handle) => terminals.get(handle), outlet);
  const ask = (request: number, more: Partial<Fetch> = {}) =>
    fetches.add(1, { request, from: 0, most: REPLAY_BYTES, steps: true, ...more });
  return {
    ring,
    chunks,
    failures,
    terminals,
    ask,
    queued: () => queued,
    drain: () => {
      queued = 0;
      fetches.stepFirst();
      fetches.pump();
    },
    answered: () => chunks.filter(({ isLast }) => isLast).map(({ request }) => request),
  };
}

test("H16 ten thousand fetches of whole buffers queue no more than one: the next chunk waits for the drain", () => {
  const { ask, queued, drain, answered } = world();
  for (let request = 1; request <= 10_000; request++) ask(request);
  expect(queued()).toBeLessThanOrEqual(BACKED_UP + FRAME_SOFT_BYTES);
  expect(answered()).toEqual([]);
  for (let turn = 0; turn < 12; turn++) {
    drain();
    expect(queued()).toBeLessThanOrEqual(BACKED_UP + FRAME_SOFT_BYTES);
  }
  expect(answered()).toEqual([1, 2, 3]);
});

test("H28 an answer of no bytes does not wait behind others", () => {
  const { ask, answered, ring } = world();
  ask(1);
  ask(2, { from: Number.MAX_SAFE_INTEGER, most: 0 });
  expect(answered()).toEqual([2]);
  expect(ring.end).toBe(REPLAY_BYTES);
});

test("H27 an answer reaches as far as the stream when its last chunk leaves, and begins anew at a hole", () => {
  const { ask, chunks, drain, ring } = world();
  ask(1);
  // As much again: the rest of the answer has left the ring.
  ring.append(Buffer.alloc(REPLAY_BYTES, "y"));
  while (chunks.at(-1)?.isLast !== true) drain();
  const hole = chunks.findIndex(({ from }, at) => at > 0 && from !== chunks[at - 1]?.to);
  expect(chunks[hole]?.from).toBe(ring.first);
  expect(chunks.at(-1)?.to).toBe(ring.end);
});

test("H27 a program that prints as fast as it is read does not keep an answer from its end", () => {
  const { ask, chunks, drain, ring } = world();
  ask(1);
  let drains = 0;
  while (chunks.at(-1)?.isLast !== true && drains < 100) {
    ring.append(Buffer.alloc(BACKED_UP + FRAME_SOFT_BYTES));
    drain();
    drains += 1;
  }
  expect(drains).toBeLessThan(10);
});

test("H29 a bridge that takes no steps gets its answer in one go, once the socket has room", () => {
  const { ask, answered, chunks, drain } = world();
  ask(1, { steps: undefined });
  expect(answered()).toEqual([1]);
  expect(chunks).toHaveLength(REPLAY_BYTES / FRAME_SOFT_BYTES);
  ask(2, { steps: undefined });
  expect(answered()).toEqual([1]);
  drain();
  expect(answered()).toEqual([1, 2]);
});

test("H16 a terminal that is forgotten while its fetch waits fails it", () => {
  const { ask, drain, failures, terminals } = world();
  ask(1);
  ask(2);
  terminals.clear();
  drain();
  expect(failures).toEqual([1, 2]);
});
