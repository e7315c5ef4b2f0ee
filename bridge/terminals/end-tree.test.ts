import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { listProcessTree } from "./end-tree.ts";

test("Y4 what descends from a terminal's first process is its own: never init's, nor ours", async () => {
  expect(listProcessTree(undefined)).toEqual([]);
  expect(listProcessTree(0)).toEqual([]);
  expect(listProcessTree(1)).toEqual([]);
  expect(listProcessTree(process.ppid)).toEqual([]);
  const child = spawn("/bin/sh", ["-c", "sleep 60 & echo up; wait"], {
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  try {
    await once(child.stdout, "data");
    expect(listProcessTree(child.pid).length).toBe(1);
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }
});
