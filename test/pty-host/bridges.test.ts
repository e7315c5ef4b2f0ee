// One bridge at a time, bridges that come and go, and bridges that talk nonsense.

import { spawn } from "node:child_process";
import { existsSync, statSync, writeFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { encodeFrame } from "../../protocol/frame.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import { KiB, HOST_VERSION } from "../../protocol/limits.ts";
import { ALL } from "../support/host-client.ts";
import { alive, ended } from "../support/processes.ts";
import { sharedHost, startHost } from "../support/pty-host.ts";
import { runs } from "../support/property-runs.ts";

const shared = sharedHost();

describe("H8 one client, and none", () => {
  test("H8 a second bridge is refused with a sentence while the first lives", async () => {
    const host = shared();
    const first = await host.join();
    const { handle } = await first.spawn("stty raw -echo; echo go; exec cat");
    first.read(handle, 0, ALL);
    await first.saw(handle, "go");
    const second = await host.dial();
    second.hello();
    await second.gone();
    expect(second.failures).toEqual([
      { request: 0, error: expect.stringContaining("Another bridge") },
    ]);
    first.input(handle, "still here");
    await first.saw(handle, "still here");
  });

  test("Y75 when a bridge is gone the host ends its commands, and no terminal", async () => {
    const host = shared();
    const bridge = await host.join();
    const { handle } = await bridge.spawn("echo go; exec sleep 61");
    bridge.read(handle, 0, ALL);
    await bridge.saw(handle, "go");
    const instance = bridge.welcome?.instance ?? "";
    const started = (mark: string) =>
      spawn("sleep", ["61"], { env: { PAIRPTY_TERMINAL: mark }, stdio: "ignore" });
    const own = started(`run-abc@${instance}`);
    const others = started(`run-abc@${"0".repeat(32)}`);
    onTestFinished(() => void others.kill());
    bridge.close();
    await ended(own.pid ?? 0);
    expect(alive(others.pid ?? 0)).toBe(true);
    const next = await host.join();
    expect(next.states.map(({ state }) => state.exit)).toEqual([null]);
  });

  test("H13 whoever only looks is told the terminals, and is no one's bridge", async () => {
    const host = shared();
    const look = async () => {
      const looker = await host.dial();
      looker.hello(HOST_VERSION, { looks: true });
      await looker.gone();
      expect(looker.welcome).toMatchObject({ pid: host.pid, state: null });
      expect(looker.failures).toEqual([]);
      return looker.states.map(({ state }) => state.id);
    };
    const bridge = await host.join();
    bridge.bytes(FrameType.setState, 0, Buffer.from("mine"));
    const { handle, id } = await bridge.spawn("stty raw -echo; echo go; exec cat");
    bridge.read(handle, 0, ALL);
    await bridge.saw(handle, "go");
    expect(await look()).toEqual([id]);
    // The bridge is still the bridge.
    bridge.input(handle, "still here");
    await bridge.saw(handle, "still here");
    bridge.close();
    await bridge.gone();
    expect(await look()).toEqual([id]);
    expect((await host.join()).states.map(({ state }) => state.id)).toEqual([id]);
  });

  test("H8 a bridge that follows at once upon another's end is welcome every time", async () => {
    const host = shared();
    let client = await host.join();
    for (let i = 0; i < 15; i += 1) {
      const next = await host.dial();
      // Much is unread when the old one ends, so its end is read after the new one's hello.
      for (let sent = 0; sent < 2; sent += 1) client.input(999, "x".repeat(70_000));
      client.close();
      next.hello();
      await next.until("caught up", () => next.has(FrameType.caughtUp));
      client = next;
    }
  });

  test("H22 without a bridge it ends its terminals, itself and its socket", async () => {
    // Long enough to come in on a busy machine.
    const grace = 2_000;
    const host = await startHost(grace);
    const client = await host.join();
    const { pid, handle } = await client.spawn("echo up; exec sleep 1000");
    client.read(handle, 0, ALL);
    await client.saw(handle, "up");
    // A bridge that stays longer than the grace is what stops the clock.
    await new Promise((resolve) => setTimeout(resolve, 1.2 * grace));
    expect(alive(pid)).toBe(true);
    client.close();
    expect(await host.over).toBe(0);
    expect(alive(pid)).toBe(false);
    expect(existsSync(host.socket)).toBe(false);
  });

  test("H23 SIGTERM and `shutdown` end everything, the stubborn too; HUP and INT end nothing", async () => {
    const byFrame = await startHost();
    const bySignal = await startHost();
    const pids: number[] = [];
    for (const host of [byFrame, bySignal]) {
      const client = await host.join();
      const stubborn = await client.spawn(`trap "" HUP TERM; echo up; while :; do sleep 1; done`);
      const docile = await client.spawn("echo up; exec sleep 1000");
      for (const { handle, pid } of [stubborn, docile]) {
        client.read(handle, 0, ALL);
        await client.saw(handle, "up");
        pids.push(pid);
      }
      host.kill("SIGHUP");
      host.kill("SIGINT");
      await client.settled();
      if (host === byFrame) client.send(FrameType.shutdown, 0);
      else host.kill("SIGTERM");
    }
    for (const host of [byFrame, bySignal]) {
      expect(await host.over).toBe(0);
      expect(existsSync(host.socket)).toBe(false);
    }
    expect(pids.filter(alive)).toEqual([]);
  });

  test("H24 a stale socket is replaced, a live one and another's file are not", async () => {
    const dead = await startHost();
    dead.kill("SIGKILL");
    await dead.over;
    expect(existsSync(dead.socket)).toBe(true);
    const host = await startHost(60_000, dead.socket);
    expect(statSync(host.socket).mode & 0o777).toBe(0o600);
    await expect(startHost(60_000, host.socket)).rejects.toThrow("ended with 1");
    await host.join();
    const file = `${host.socket}.txt`;
    writeFileSync(file, "mine");
    await expect(startHost(60_000, file)).rejects.toThrow("ended with 1");
    expect(existsSync(file)).toBe(true);
  });
});

describe("H9 takeover", () => {
  test("H9 a counter cut by a lost bridge has every line once, in order", async () => {
    const host = shared();
    const lines = 60_000;
    const first = await host.join();
    const script = `stty -opost; exec awk 'BEGIN { for (i = 1; i <= ${lines}; i++) print i }'`;
    const meta = { owner: "user", nested: { deep: [1, 2] } };
    const spawned = await first.spawn(script, { cols: 100, rows: 30, meta });
    const { handle } = spawned;
    first.send(FrameType.resize, handle, { cols: 101, rows: 31 });
    first.bytes(FrameType.setState, 0, Buffer.from("what the bridge knew"));
    first.readWindow(handle, 0, 64 * KiB);
    await first.until("some lines", () => (first.received(handle).next ?? 0) > 100_000);
    first.close();

    const second = await host.join();
    expect(second.welcome.instance).toBe(first.welcome.instance);
    expect(second.welcome.state).toBe("what the bridge knew");
    const found = second.states.find((one) => one.handle === handle)?.state;
    expect(found).toMatchObject({ id: spawned.id, pid: spawned.pid, epoch: spawned.epoch });
    expect(found).toMatchObject({ cols: 101, rows: 31, meta, first: 0 });
    expect(found?.request).toBeUndefined();
    const from = first.received(handle).next ?? 0;
    second.readWindow(handle, from, 64 * KiB);
    await second.until("the end", () => {
      const exit = second.received(handle).exited ?? found?.exit;
      return exit !== null && second.text(handle).endsWith(`\n${lines}\n`);
    });
    const expected = Array.from({ length: lines }, (_, i) => `${i + 1}\n`).join("");
    expect(first.text(handle) + second.text(handle) === expected).toBe(true);
  });

  test("H9 a terminal that ended while no one was there has kept everything", async () => {
    const host = shared();
    const first = await host.join();
    const { handle, pid } = await first.spawn(
      "echo up; read line; sleep 0.3; head -c 1000000 /dev/zero",
    );
    first.read(handle, 0, ALL);
    await first.saw(handle, "up");
    first.input(handle, "\n");
    await first.settled();
    first.close();
    await ended(pid);
    const second = await host.join();
    const state = second.states[0]?.state;
    expect(state?.first).toBe(0);
    if (state?.exit === null) await second.exit(handle);
    second.read(handle, 0, ALL);
    await second.until("all", () => (second.received(handle).next ?? 0) > 1_000_000);
    expect(second.received(handle).gaps).toEqual([]);
  });

  test("H9 changed meta is what the next bridge finds; what cannot be kept is refused", async () => {
    const host = shared();
    const first = await host.join();
    const { handle } = await first.spawn("exec sleep 1000", { meta: { name: "old" } });
    first.send(FrameType.setMeta, handle, { meta: { name: "new" } });
    first.send(FrameType.setMeta, handle, { meta: { name: "x".repeat(70 * KiB) } });
    first.bytes(FrameType.setState, 0, Buffer.from("old"));
    first.bytes(FrameType.setState, 0, Buffer.from("\u0001".repeat(20 * KiB)));
    await first.settled();
    expect(first.failures.map(({ error }) => error.slice(0, 9))).toEqual([
      "The meta ",
      "The state",
    ]);
    first.close();
    const second = await host.join();
    expect(second.states[0]?.state.meta).toEqual({ name: "new" });
    expect(second.welcome.state).toBe("old");
  });
});

describe("H10 versions", () => {
  test("H10 a version it cannot speak is refused with a sentence, and nothing is touched", async () => {
    const host = shared();
    const first = await host.join();
    const { handle } = await first.spawn("stty raw -echo; echo go; exec cat");
    first.read(handle, 0, ALL);
    await first.saw(handle, "go");
    const stranger = await host.dial();
    stranger.hello(99);
    await stranger.gone();
    expect(stranger.failures).toEqual([
      { request: 0, error: expect.stringMatching(/version 1, not 99/) },
    ]);
    first.input(handle, "untouched");
    await first.saw(handle, "untouched");
  });
});

describe("H11 nonsense", () => {
  const anyType = fc.integer({ min: 0, max: 255 }).filter((type) => type !== FrameType.shutdown);
  const anyFrame = fc
    .tuple(
      anyType,
      fc.integer({ min: 0, max: 3 }),
      fc.oneof(fc.uint8Array(), anyJson()),
      fc.nat(255),
    )
    .map(([type, stream, payload, flags]) => encodeFrame(type, stream, payload, flags));
  const nonsense = fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 300 }), anyFrame);

  test("H11 random bytes and frames cost the connection, not the terminals", async () => {
    const host = shared();
    const client = await host.join();
    const { handle, pid } = await client.spawn("stty raw -echo; echo go; exec sleep 1000");
    client.read(handle, 0, ALL);
    await client.saw(handle, "go");
    client.close();
    await fc.assert(
      fc.asyncProperty(
        fc.array(nonsense, { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        async (all, greet) => {
          const fool = greet ? await host.join() : await host.dial();
          for (const bytes of all) fool.raw(bytes);
          // A header that no decoder takes: whatever came before, this ends it.
          fool.raw(new Uint8Array(400).fill(0xff));
          await fool.gone();
        },
      ),
      runs(80),
    );
    const next = await host.join();
    expect(next.states.map(({ state }) => [state.pid, state.exit])).toEqual([[pid, null]]);
    const other = await next.spawn("echo fine");
    next.read(other.handle, 0, ALL);
    await next.whole(other.handle);
    expect(next.text(other.handle)).toBe("fine\r\n");
  });

  test("H11 a frame that does not fit its schema costs the connection at once", async () => {
    const host = shared();
    for (const type of [FrameType.spawn, FrameType.read, FrameType.resize, FrameType.signal]) {
      const client = await host.join();
      client.send(type, 1, { unfit: true });
      await client.gone();
    }
    const client = await host.join();
    client.bytes(FrameType.credit, 1, new Uint8Array(3));
    await client.gone();
  });

  function anyJson(): fc.Arbitrary<Uint8Array> {
    const offset = fc.oneof(fc.nat(), fc.constant(ALL), fc.integer());
    const read = fc.record({ from: offset, credit: offset, paced: fc.boolean() });
    const resize = fc.record({ cols: fc.nat(1200), rows: fc.nat(1200) });
    const fetch = fc.record({ request: fc.nat(), from: offset, most: offset });
    return fc
      .oneof(read, resize, fetch, fc.record({ meta: fc.object() }))
      .map((value) => Buffer.from(JSON.stringify(value)));
  }
});
