// No child may hold another terminal's master, and the host must not gather descriptors.

import { readFileSync, readdirSync, readlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { FrameType } from "../../protocol/frame-types.ts";
import { startHost } from "../support/pty-host.ts";

test("H2 no child inherits a master, with terminals ending at random between spawns", async () => {
  const host = await startHost();
  const client = await host.join();
  const random = sequence(20_261_116);
  const before = descriptors(host.pid).length;
  const alive: { handle: number; pid: number }[] = [];
  let looked = 0;
  for (let round = 0; round < 40; round += 1) {
    const { handle, pid } = await client.spawn("sleep 1000 & echo up; wait");
    client.read(handle, 0, 1_000);
    await client.saw(handle, "up");
    alive.push({ handle, pid });
    if (alive.length > 6 || random() < 0.3) {
      const [ended] = alive.splice(Math.floor(random() * alive.length), 1);
      client.send(FrameType.signal, ended?.handle ?? 0, { signal: "SIGKILL" });
      await client.exit(ended?.handle ?? 0);
    }
    for (const child of alive.flatMap((one) => tree(one.pid))) {
      const leaked = descriptors(child).filter((target) => /ptmx|socket:|eventpoll/.test(target));
      expect(leaked, `in process ${child} of round ${round}`).toEqual([]);
      looked += 1;
    }
  }
  expect(looked).toBeGreaterThan(200);
  for (const { handle } of alive) {
    client.send(FrameType.signal, handle, { signal: "SIGKILL" });
    await client.exit(handle);
  }
  expect(descriptors(host.pid).length).toBe(before);
});

function descriptors(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).map((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`);
    } catch {
      // A program that is just starting has closed a library meanwhile.
      return "closed";
    }
  });
}

function tree(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return [pid, ...(children === "" ? [] : children.split(" ").flatMap((one) => tree(Number(one))))];
}

/** The same numbers in every run (Park and Miller). */
function sequence(seed: number): () => number {
  let state = seed % 2_147_483_647;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
