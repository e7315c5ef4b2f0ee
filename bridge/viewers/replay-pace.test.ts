import { expect, test } from "vitest";
import { MiB } from "../../protocol/limits.ts";
import type { Peer } from "./peer-table.ts";
import { ByteBucket, ReplayPace } from "./replay-pace.ts";

/** A clock that the test moves, with its timers. */
function world() {
  let now = 0;
  const timers: { readonly at: number; readonly run: () => void }[] = [];
  const pace = new ReplayPace({
    now: () => now,
    setTimer: (run, ms) => void timers.push({ at: now + ms, run }),
  });
  const started: string[] = [];
  const gone = new Set<Peer>();
  return {
    timers,
    started,
    leave: (peer: Peer) => gone.add(peer),
    attach: (peer: Peer, name: string, bytes = 2 * MiB) => {
      const isWanted = () => !gone.has(peer);
      pace.run({ peer, bytes, isWanted, start: () => isWanted() && started.push(name) });
    },
    /** Runs the timers due within so many seconds, in order. */
    pass: (seconds: number) => {
      const until = now + seconds * 1_000;
      for (;;) {
        timers.sort((a, b) => a.at - b.at);
        const [first] = timers;
        if (first === undefined || first.at > until) break;
        timers.shift();
        now = first.at;
        first.run();
      }
      now = until;
    },
  };
}

/** Only the fields that the pace reads. */
function viewer(number: number, grantId: string): Peer {
  return { number, caller: { grantId } } as unknown as Peer;
}

test("V15 V33 a viewer that was sent 16 MiB waits for the next; those beside it do not", () => {
  const { attach, started, pass } = world();
  const taker = viewer(1, "link");
  for (let n = 0; n < 12; n++) attach(taker, `taker ${n}`);
  // 16 MiB immediately, and the one that exceeds it.
  expect(started).toEqual(Array.from({ length: 9 }, (_, n) => `taker ${n}`));
  attach(viewer(2, "link"), "beside it");
  attach(viewer(3, "other"), "bystander");
  expect(started.slice(9)).toEqual(["beside it", "bystander"]);
  pass(10);
  expect(started.slice(11)).toEqual(["taker 9", "taker 10", "taker 11"]);
});

test("V32 the viewers of a link have a bucket together; another link's do not wait for it", () => {
  const { attach, started, pass } = world();
  for (let n = 0; n < 200; n++) attach(viewer(n, "link"), "link");
  expect(started.length).toBe(33);
  attach(viewer(999, "other"), "other");
  expect(started.at(-1)).toBe("other");
  pass(1);
  expect(started.length).toBeLessThanOrEqual(34 + 17);
  pass(60);
  expect(started.length).toBe(201);
});

test("V15 V32 a viewer that leaves while it waits starts nothing and costs its link nothing", () => {
  const { attach, started, leave, pass } = world();
  const taker = viewer(1, "link");
  for (let n = 0; n < 64; n++) attach(taker, "taker");
  const before = started.length;
  leave(taker);
  pass(600);
  expect(started.length).toBe(before);
  for (let n = 2; n < 30; n++) attach(viewer(n, "link"), "later");
  expect(started.length).toBe(before + 28);
});

test("V15 a bucket gives its burst, then its rate, and is full again after a while", () => {
  const bucket = new ByteBucket({ burst: 100, perSecond: 10 }, 0);
  expect(bucket.reserve(120, 0)).toBe(0);
  expect(bucket.reserve(10, 0)).toBe(2_000);
  expect(bucket.reserve(10, 1_000)).toBe(2_000);
  expect([bucket.isFull(10_000), bucket.isFull(60_000)]).toEqual([false, true]);
});
