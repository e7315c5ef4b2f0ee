// Proves which programs read a real terminal, by the kernel's data.

import { readFileSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { until } from "../../test/support/waiting.ts";
import { loadNative } from "../pty-host/native.ts";
import { Pty } from "../pty-host/pty.ts";
import { getForeground, getProgramName } from "./foreground.ts";

const getName = ({ argv }: { argv: readonly string[] }) => argv.join(" ");

test("Y22 the programs in front of a terminal, those behind them, and their folder", async () => {
  loadNative();
  const cwd = realpathSync(tmpdir());
  const env = { PATH: process.env["PATH"] ?? "" };
  const args = ["-c", "bash --norc; :"];
  const plan = { file: "/bin/sh", args, env, cwd: "/", cols: 80, rows: 24 };
  let exited = () => {};
  const over = new Promise<void>((resolve) => {
    exited = resolve;
  });
  const pty = new Pty(plan, { onBytes: () => {}, onExited: () => exited() }, () => {});
  const front = () => getForeground(pty.pid).front.map(getName);
  await until("bash is in front", () => front().join() === "bash --norc");
  expect(getForeground(pty.pid).behind.map(getName)).toEqual(["/bin/sh -c bash --norc; :"]);
  expect(getProgramName(pty.pid)).toBe("bash");
  const isAtPrompt = () => getForeground(pty.pid).front.every(({ isWaiting }) => isWaiting);
  await until("bash waits at its prompt", isAtPrompt);
  const { group } = getForeground(pty.pid);
  // The shell behind bash waits for it; some kernels do not report that.
  if (readFileSync(`/proc/${pty.pid}/wchan`, "latin1") !== "0") {
    pty.write(Buffer.from("sleep 60 & wait\n"));
    await until("bash sleeps, but for its child", () => !isAtPrompt());
    expect(getForeground(pty.pid).group).toBe(group);
    pty.write(Buffer.from("\u0003"));
    await until("bash is back at its prompt", isAtPrompt);
  }
  pty.write(Buffer.from(`cd ${cwd} && sleep 60 | cat\n`));
  await until("the pipeline is in front", () => front().sort().join() === "cat,sleep 60");
  const { behind, cwd: working } = getForeground(pty.pid);
  expect(behind.map(getName)).toContain("bash --norc");
  expect(working).toBe(cwd);
  pty.signal("SIGKILL");
  await over;
});

test("Y22 a process that is gone has no one in front", () => {
  expect(getForeground(2 ** 22 + 1)).toEqual({
    group: undefined,
    front: [],
    behind: [],
    cwd: undefined,
  });
});
