import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, onTestFinished, test, vi } from "vitest";
import { listChildren, listDescendants } from "./process-record.ts";

test("T2 a process that has ended, and that no one waited for, is no descendant: its number is free soon", async () => {
  // The program after `exec` never collects this child, which becomes a zombie.
  const parent = spawn("sh", ["-c", "true & exec sleep 60"], { stdio: "ignore" });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const pid = parent.pid ?? expect.unreachable("not started");
  await vi.waitFor(() => {
    const [child] = listChildren(pid);
    expect(readFileSync(`/proc/${child}/stat`, "utf8")).toMatch(/\) Z /);
  });
  expect(listDescendants(pid)).toEqual([]);
});
