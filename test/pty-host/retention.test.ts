// What is kept, of running and of finished terminals.

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  CLAIM_MS,
  MAX_FINISHED,
  MAX_FINISHED_MS,
  canCut,
  listExpired,
} from "../../bridge/pty-host/ring.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { MiB, REPLAY_BYTES } from "../../protocol/limits.ts";
import { ALL } from "../support/host-client.ts";
import { printing } from "../support/printing.ts";
import { sharedHost } from "../support/pty-host.ts";

const shared = sharedHost();

const anyFinished = fc.uniqueArray(
  fc.record({
    handle: fc.integer({ min: 1, max: 1_000 }),
    endedAt: fc.integer({ min: 0, max: 2 * MAX_FINISHED_MS }),
    hasUnsent: fc.boolean(),
    isKept: fc.boolean(),
  }),
  { selector: (one) => one.handle, maxLength: 60 },
);

describe("H4 the rules", () => {
  test("H19 nothing is kept beyond ten minutes, and beyond twenty only what is owed", () => {
    fc.assert(
      fc.property(
        anyFinished,
        fc.integer({ min: 0, max: 3 * MAX_FINISHED_MS }),
        (finished, later) => {
          const now = Math.max(0, ...finished.map((one) => one.endedAt)) + later;
          const forgotten = new Set(listExpired(finished, now));
          expect(finished.some((one) => one.isKept && forgotten.has(one.handle))).toBe(false);
          const kept = finished.filter((one) => !one.isKept && !forgotten.has(one.handle));
          expect(kept.every((one) => now - one.endedAt < MAX_FINISHED_MS)).toBe(true);
          expect(kept.filter((one) => !one.hasUnsent).length).toBeLessThanOrEqual(MAX_FINISHED);
          // Nobody younger went while somebody older stayed, but for what is owed.
          const oldestKept = Math.min(
            ...kept.filter((one) => !one.hasUnsent).map((one) => one.endedAt),
          );
          for (const one of finished) {
            if (forgotten.has(one.handle)) expect(one.endedAt).toBeLessThanOrEqual(oldestKept);
          }
        },
      ),
    );
  });

  test("H17 H18 a buffer is cut 30 s after the last of it was sent, or its reader left", () => {
    const claim = { connected: true, hasUnsent: false, quietSince: 1_000 };
    expect(canCut(claim, 1_000 + CLAIM_MS - 1)).toBe(false);
    expect(canCut(claim, 1_000 + CLAIM_MS)).toBe(true);
    // Its reader may wait for a link.
    expect(canCut({ ...claim, hasUnsent: true }, ALL)).toBe(false);
    // While no bridge is there, the next one may want it all.
    expect(canCut({ ...claim, connected: false }, ALL)).toBe(false);
  });
});

describe("J5 what a spawn asks to be kept", () => {
  test("J5 a finished terminal that is to stay does so until it is forgotten", async () => {
    const client = await shared().join();
    const retain = { bytes: 10, untilForgotten: true };
    const { handle } = await client.spawn("printf 0123456789abcdef", { retain });
    await client.exit(handle);
    for (let i = 0; i < MAX_FINISHED + 2; i++) {
      await client.exit((await client.spawn(`echo ${i}`)).handle);
    }
    expect((await client.fetch(handle, 0, ALL)).text).toContain("abcdef");
    client.send(FrameType.forget, handle);
    await expect(client.fetch(handle, 0, ALL)).rejects.toThrow(/The terminal no longer exists/);
  });
});

describe("H4 the host", () => {
  test("H4 the last 2 MiB are retained while it runs", async () => {
    const client = await shared().join();
    const { script, text } = printing(REPLAY_BYTES + 300_000);
    const { handle } = await client.spawn(`${script}; sleep 1000`);
    await client.endsAt(handle, text.length);
    const kept = await client.fetch(handle);
    expect(kept.from).toBe(text.length - REPLAY_BYTES);
    expect(kept.text === text.slice(-REPLAY_BYTES)).toBe(true);
  });

  test("H17 what its reader was sent, or left, is there for whoever comes back", async () => {
    const client = await shared().join();
    const { script, text } = printing(1 * MiB);
    const { handle } = await client.spawn(script);
    client.read(handle, 0, 1_000);
    await client.exit(handle);
    expect((await client.fetch(handle)).text.length).toBe(text.length);
    client.credit(handle, ALL);
    await client.whole(handle);
    expect(client.text(handle) === text).toBe(true);
    client.send(FrameType.unread, handle);
    expect((await client.fetch(handle)).text === text).toBe(true);
  });

  test("H19 the last twenty finished are kept, and one is forgotten when asked", async () => {
    const host = shared();
    const client = await host.join();
    const handles: number[] = [];
    for (let i = 0; i < 25; i += 1) {
      const { handle } = await client.spawn(`echo ${i}`);
      await client.exit(handle);
      handles.push(handle);
    }
    client.send(FrameType.forget, handles[24] ?? 0);
    await client.settled();
    client.close();
    const next = await host.join();
    expect(next.states.map(({ handle }) => handle)).toEqual(handles.slice(5, 24));
    expect(next.states.every(({ state }) => state.exit?.exitCode === 0)).toBe(true);
  });

  test("H19 a terminal that runs is not forgotten", async () => {
    const client = await shared().join();
    const { handle } = await client.spawn("echo here; exec cat");
    client.send(FrameType.forget, handle);
    client.read(handle, 0, ALL);
    await client.saw(handle, "here");
  });
});
