import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { treeOf } from "./ending.ts";

test("Y4 what descends from a terminal's first process is its own: never init's, nor ours", async () => {
  expect(treeOf(undefined)).toEqual([]);
  expect(treeOf(0)).toEqual([]);
  expect(treeOf(1)).toEqual([]);
  expect(treeOf(process.ppid)).toEqual([]);
  const child = spawn("/bin/sh", ["-c", "sleep 60 & echo up; wait"], {
    stdio: ["ignore", "pipe", "ignore"],
    detached: true,
  });
  try {
    await once(child.stdout, "data");
    expect(treeOf(child.pid).length).toBe(1);
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }
});
