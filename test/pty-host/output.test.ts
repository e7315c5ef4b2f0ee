// The host's first promises: every byte before the exit, within credit, in order.

import { describe, expect, test } from "vitest";
import { FrameType } from "../../protocol/frame-types.ts";
import {
  FRAME_SOFT_BYTES,
  HISTORY_BYTES,
  KiB,
  MiB,
  PTY_READ_BYTES,
  REPLAY_BYTES,
} from "../../protocol/limits.ts";
import { READ_AHEAD_BYTES } from "../../bridge/pty-host/reader.ts";
import { ALL } from "../support/host-client.ts";
import { printing } from "../support/printing.ts";
import { wrote } from "../support/processes.ts";
import { sharedHost, startHost } from "../support/pty-host.ts";

const shared = sharedHost();

/** Many frames of the largest size. */
const BULK = 3_000_000;

describe("H1 complete output", () => {
  test("H1 80 short-lived commands, eight at a time, are complete", async () => {
    const client = await shared().join();
    const { last, dribbled, text } = printing(20_000);
    let started = 0;
    const worker = async (): Promise<void> => {
      while (started < 80) {
        started += 1;
        // The last of many small writes race with the hang-up.
        const { handle } = await client.spawn(started % 2 === 0 ? last : dribbled);
        client.read(handle, 0, ALL);
        const { exit, end } = await client.whole(handle);
        expect(exit).toEqual({ exitCode: 0, signal: null });
        expect(end).toBe(text.length);
        expect(client.text(handle) === text).toBe(true);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
  });

  test("H1 what is unread when a held program exits is not lost", async () => {
    const client = await shared().join();
    // Just beyond where a paced reader without credit stops the reading: the rest waits in the
    // kernel while the program ends.
    const { last, text } = printing(READ_AHEAD_BYTES + 3_000);
    for (let round = 0; round < 5; round += 1) {
      const { handle } = await client.spawn(`stty -echo -opost; echo up; read go; ${last}`);
      client.read(handle, 0, 1_000, true);
      await client.saw(handle, "up\n");
      client.input(handle, "\n");
      expect((await client.exit(handle)).end).toBe("up\n".length + text.length);
      expect(client.received(handle).next).toBe(1_000);
      client.credit(handle, ALL);
      await client.whole(handle);
      expect(client.text(handle) === `up\n${text}`).toBe(true);
    }
  });

  test("H1 a reader that comes after the exit still gets everything", async () => {
    const client = await shared().join();
    const { script, text } = printing(1 * MiB);
    const { handle } = await client.spawn(script);
    await client.exit(handle);
    client.read(handle, 0, ALL);
    await client.whole(handle);
    expect(client.text(handle) === text).toBe(true);
  });

  test("H1 an orphan that prints for ever does not keep the exit back", async () => {
    const client = await (await startHost()).join();
    const orphan = `(trap "" HUP; exec yes orphan) & `;
    const { handle } = await client.spawn(`${orphan.repeat(6)} echo leader`);
    client.read(handle, 0, ALL);
    const { exit } = await client.whole(handle);
    expect(exit).toEqual({ exitCode: 0, signal: null });
    expect(client.text(handle)).toContain("leader");
  });
});

describe("H5 credit", () => {
  test("H5 bytes stop at the credit and go on with more of it", async () => {
    const client = await shared().join();
    const { script, text } = printing(300_000);
    const { handle } = await client.spawn(`${script}; sleep 1000`);
    const steps = [5_000, 5_001, 90_000, 200_000, 300_000];
    client.read(handle, 10, 100);
    await client.until("the first credit", () => client.received(handle).next === 100);
    for (const credit of steps) {
      client.credit(handle, credit);
      await client.until(`credit ${credit}`, () => client.received(handle).next === credit);
      await client.settled();
      expect(client.received(handle).next).toBe(credit);
    }
    expect(client.received(handle).outputs[0]?.offset).toBe(10);
    expect(client.text(handle) === text.slice(10)).toBe(true);
  });

  test("H5 a lower credit takes nothing back, and unread stops all", async () => {
    const client = await shared().join();
    const { handle } = await client.spawn("stty raw -echo; echo go; exec cat");
    client.read(handle, 0, ALL);
    await client.saw(handle, "go");
    client.credit(handle, 1);
    client.input(handle, "one");
    await client.saw(handle, "one");
    client.send(FrameType.unread, handle);
    client.input(handle, "two");
    await client.endsAt(handle, client.text(handle).length + "two".length);
    expect(client.text(handle).endsWith("one")).toBe(true);
  });

  test("H20 what fell out is a gap that is told", async () => {
    const client = await shared().join();
    const { script, text } = printing(REPLAY_BYTES + 300_000);
    const { handle } = await client.spawn(`${script}; echo; sleep 1000`);
    await client.endsAt(handle, text.length + 1);
    client.read(handle, 1_000, ALL);
    const first = text.length + 1 - REPLAY_BYTES;
    await client.until("the rest", () => client.received(handle).next === text.length + 1);
    expect(client.received(handle).gaps).toEqual([{ from: 1_000, to: first }]);
    expect(client.text(handle) === `${text.slice(first)}\n`).toBe(true);
  });

  test("H5 H20 a bridge that hangs stops no one, and gets a gap and the true bytes behind it", async () => {
    const client = await shared().join();
    // More than the ring and every buffer between; then it waits, so that nobody reads on and on.
    const count = `awk 'BEGIN { for (i = 0; i < 400000; i++) printf "%015d\\n", i; fflush(); getline }'`;
    const { handle, pid } = await client.spawn(`stty -opost; exec ${count}`);
    client.hang(true);
    client.read(handle, 0, ALL);
    await wrote(pid, 6 * MiB);
    client.hang(false);
    await client.until("a gap", () => client.received(handle).gaps.length > 0);
    client.send(FrameType.signal, handle, { signal: "SIGKILL" });
    await client.whole(handle);
    const { gaps, outputs, pieces } = client.received(handle);
    expect(gaps[0]?.from).toBeLessThan(gaps[0]?.to ?? 0);
    for (const [i, { offset, length }] of outputs.entries()) {
      const line = Math.floor(offset / 16);
      const lines = Array.from(
        { length: Math.ceil(length / 16) + 1 },
        (_, n) => `${String(line + n).padStart(15, "0")}\n`,
      );
      const expected = lines.join("").slice(offset % 16, (offset % 16) + length);
      expect(Buffer.from(pieces[i] ?? []).toString() === expected, `at ${offset}`).toBe(true);
    }
  });

  test("H5 a fetch gives what is retained, and at most what was asked for", async () => {
    const client = await shared().join();
    const { script, text } = printing(300_000);
    const { handle } = await client.spawn(`${script}; sleep 1000`);
    await client.endsAt(handle, text.length);
    expect(await client.fetch(handle)).toEqual({ from: 0, text });
    expect(await client.fetch(handle, 299_990)).toEqual({ from: 299_990, text: text.slice(-10) });
    expect(await client.fetch(handle, 0, HISTORY_BYTES)).toEqual({
      from: 300_000 - HISTORY_BYTES,
      text: text.slice(-HISTORY_BYTES),
    });
    expect(await client.fetch(handle, ALL)).toEqual({ from: 300_000, text: "" });
    await expect(client.fetch(4_000_000)).rejects.toThrow("The terminal no longer exists");
  });
});

describe("H7 batches", () => {
  test("H7 every keystroke's echo is a frame of its own, and bulk goes in large ones", async () => {
    const client = await shared().join();
    const { handle } = await client.spawn("stty raw -echo; echo go; exec cat");
    client.read(handle, 0, ALL);
    await client.saw(handle, "go");
    const before = client.received(handle).outputs.length;
    for (const key of "12345678") {
      client.input(handle, key);
      await client.saw(handle, key);
    }
    expect(client.received(handle).outputs.length - before).toBe(8);

    const bulk = await client.spawn(`head -c ${BULK} /dev/zero`);
    client.readWindow(bulk.handle, 0, 1 * MiB);
    await client.whole(bulk.handle);
    const sizes = client.received(bulk.handle).outputs.map(({ length }) => length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(FRAME_SOFT_BYTES + PTY_READ_BYTES);
    expect(sizes.length).toBeLessThan(BULK / (8 * KiB));
  });
});
