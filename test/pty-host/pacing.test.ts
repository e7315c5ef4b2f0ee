// A paced reader holds the program, and the hold always ends.

import { describe, expect, test } from "vitest";
import { LEASE_MS, READ_AHEAD_BYTES } from "../../bridge/pty-host/reader.ts";
import { KiB, MiB } from "../../protocol/limits.ts";
import { ALL } from "../support/host-client.ts";
import { sharedHost } from "../support/pty-host.ts";

const shared = sharedHost();

const CREDIT = 64 * KiB;
/** More than is held, and than the ring keeps beyond the credit; then it is quiet. */
const PRINTED = 3 * MiB;
const PRINT = `head -c ${PRINTED} /dev/zero; exec sleep 1000`;

describe("H6 pacing", () => {
  test("H6 the hold lasts while credit is renewed, and ends by itself after 6 s without", async () => {
    const client = await shared().join();
    const silent = await client.spawn(PRINT);
    const renewed = await client.spawn(PRINT);
    client.read(silent.handle, 0, CREDIT, true);
    const since = performance.now();
    client.read(renewed.handle, 0, CREDIT, true);
    for (const { handle } of [silent, renewed]) {
      await client.endsAt(handle, CREDIT + READ_AHEAD_BYTES);
    }
    const renewing = setInterval(() => client.credit(renewed.handle, CREDIT), 1_000);
    try {
      const held = await client.end(renewed.handle);
      expect(held).toBeLessThan(CREDIT + READ_AHEAD_BYTES + 8 * KiB);
      // The end of the silent one's lease is the event that is waited for.
      await client.endsAt(silent.handle, PRINTED, 100);
      expect(performance.now() - since).toBeGreaterThan(LEASE_MS - 100);
      expect(await client.end(renewed.handle)).toBe(held);
    } finally {
      clearInterval(renewing);
    }
    // The silent one lost bytes, and is told so as soon as it has credit again.
    client.credit(silent.handle, ALL);
    await client.until("a gap", () => client.received(silent.handle).gaps.length > 0);
    expect(client.received(silent.handle).gaps[0]?.from).toBe(CREDIT);
    client.read(renewed.handle, CREDIT, ALL, true);
    await client.until("the rest", () => client.received(renewed.handle).next === PRINTED);
    expect(client.received(renewed.handle).gaps).toEqual([]);
  });

  test("H21 the hold ends at once with the bridge's socket", async () => {
    const host = shared();
    const client = await host.join();
    const { handle } = await client.spawn(PRINT);
    client.read(handle, 0, CREDIT, true);
    const since = performance.now();
    await client.endsAt(handle, CREDIT + READ_AHEAD_BYTES);
    client.close();
    const next = await host.join();
    await next.endsAt(handle, PRINTED);
    expect(performance.now() - since).toBeLessThan(LEASE_MS);
  });

  test("H6 a reader that is not paced holds nothing", async () => {
    const client = await shared().join();
    const { handle } = await client.spawn(PRINT);
    client.read(handle, 0, CREDIT);
    await client.endsAt(handle, PRINTED);
    expect(client.received(handle).next).toBe(CREDIT);
  });
});
