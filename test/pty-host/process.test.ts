// One process: how it starts, what it is told, how its end is told.

import { describe, expect, test } from "vitest";
import { FrameType } from "../../protocol/frame-types.ts";
import type { Spawn } from "../../protocol/host.ts";
import { MiB } from "../../protocol/limits.ts";
import { ALL } from "../support/host-client.ts";
import { ended } from "../support/processes.ts";
import { sharedHost } from "../support/pty-host.ts";

const shared = sharedHost();

describe("H3 honest exits", () => {
  test("H3 a code is a code, and a signal is its name and no code", async () => {
    const client = await shared().join();
    const ends = [
      { script: "exit 0", exit: { exitCode: 0, signal: null } },
      { script: "exit 7", exit: { exitCode: 7, signal: null } },
      { script: "exit 137", exit: { exitCode: 137, signal: null } },
      { script: "kill -TERM $$", exit: { exitCode: null, signal: "SIGTERM" } },
      { script: "kill -ABRT $$", exit: { exitCode: null, signal: "SIGABRT" } },
    ];
    for (const { script, exit } of ends) {
      const { handle } = await client.spawn(script);
      expect((await client.exit(handle)).exit).toEqual(exit);
    }
  });

  test("H3 a signal goes to the whole group", async () => {
    const client = await shared().join();
    const { handle } = await client.spawn("sh -c 'echo inner $$; exec sleep 1000'; echo never");
    client.read(handle, 0, ALL);
    await client.saw(handle, "inner");
    client.send(FrameType.signal, handle, { signal: "SIGKILL" });
    expect((await client.exit(handle)).exit).toEqual({ exitCode: null, signal: "SIGKILL" });
    const inner = Number(/inner (\d+)/.exec(client.text(handle))?.[1]);
    await ended(inner);
    // After its end nothing is signalled, and nobody is harmed by the wish.
    client.send(FrameType.signal, handle, { signal: "SIGTERM" });
    await client.settled();
  });

  test("T1 a missing program or folder is a sentence, and no terminal", async () => {
    const host = shared();
    const client = await host.join();
    const cases: [Partial<Spawn>, string][] = [
      [{ file: "/no/such/program" }, "/no/such/program does not exist"],
      [{ file: "/etc" }, "/etc is not a program"],
      [{ file: "/etc/passwd" }, "/etc/passwd may not be run"],
      [{ file: "sh" }, "not an absolute path"],
      [{ cwd: "/no/such/folder" }, "/no/such/folder does not exist"],
      [{ cwd: "/etc/passwd" }, "is not a folder"],
      [{ args: ["-c", "a\0b"] }, "NUL"],
      [{ env: { "A=B": "c" } }, "environment variable"],
    ];
    for (const [request, sentence] of cases) {
      await expect(client.spawn("true", request)).rejects.toThrow(sentence);
    }
    client.close();
    expect((await host.join()).states).toEqual([]);
  });
});

describe("H12 input and size", () => {
  test("H12 what is typed arrives whole and in order", async () => {
    const client = await shared().join();
    const { handle } = await client.spawn("stty raw -echo; echo go; exec cat");
    client.read(handle, 0, ALL);
    await client.saw(handle, "go");
    const start = client.text(handle).length;
    const typed = Array.from({ length: 60_000 }, (_, i) => `${i},`).join("");
    for (let at = 0; at < typed.length; at += 50_000) {
      client.input(handle, typed.slice(at, at + 50_000));
    }
    await client.until("all of it", () => client.received(handle).next === start + typed.length);
    expect(client.text(handle).slice(start) === typed).toBe(true);
  });

  test("H12 a program that does not read its input holds no one up", async () => {
    const client = await shared().join();
    const deaf = await client.spawn("stty raw -echo; echo deaf; exec sleep 1000");
    client.read(deaf.handle, 0, ALL);
    await client.saw(deaf.handle, "deaf");
    for (let sent = 0; sent < 3 * MiB; sent += 100_000) {
      client.input(deaf.handle, "x".repeat(100_000));
    }
    const other = await client.spawn("echo well");
    client.read(other.handle, 0, ALL);
    await client.whole(other.handle);
    expect(client.text(other.handle)).toBe("well\r\n");
  });

  test("H25 the size is the one asked for, then the one it was changed to", async () => {
    const client = await shared().join();
    const script = `trap 'stty size' WINCH; stty size; while :; do sleep 0.01; done`;
    const { handle } = await client.spawn(script, { cols: 91, rows: 31 });
    client.read(handle, 0, ALL);
    await client.saw(handle, "31 91");
    client.send(FrameType.resize, handle, { cols: 120, rows: 40 });
    await client.saw(handle, "40 120");
  });

  test("H25 the environment is exactly the one given", async () => {
    const client = await shared().join();
    const { handle } = await client.spawn("", {
      file: "/usr/bin/env",
      args: [],
      env: { ONLY: "this" },
    });
    client.read(handle, 0, ALL);
    await client.whole(handle);
    expect(client.text(handle)).toBe("ONLY=this\r\n");
  });
});
