// Owns the proof that a terminal behind a wall is a terminal: sizes, keys, job control, exit codes,
// signals. The same for every level.

import { readdirSync } from "node:fs";
import { expect } from "vitest";
import type { Isolation } from "../../protocol/isolation.ts";
import { readCommand } from "./processes.ts";
import { until } from "./waiting.ts";
import type { IsolatedWorld } from "./walls.ts";

export async function expectTerminal(world: IsolatedWorld, level: Isolation): Promise<void> {
  const more = { level };
  const sh = (line: string) => world.start(["/bin/sh", "-c", line], more);
  // A program that catches a signal gets it and goes on; one that does not is ended by it.
  const catching = await sh(
    'until [ "$(stty size)" = "24 80" ]; do sleep 0.1; done; trap "stty size" WINCH; trap "echo caught" INT; trap "echo ended; exit 5" TERM; echo up; while :; do sleep 0.1; done',
  );
  await catching.saw("up");
  catching.resize(133, 37);
  await catching.saw("37 133");
  catching.type("\u0003");
  await catching.saw("caught");
  catching.signal("SIGTERM");
  await catching.saw("ended");
  expect(await catching.exit()).toEqual({ exitCode: 5, signal: null });
  const first = nap();
  const plain = await world.start(["sleep", first], more);
  await sleeping(first);
  plain.type("\u0003");
  expect(await plain.exit()).toEqual({ exitCode: 130, signal: null });

  const shell = await world.start(["/bin/sh", "-i"], { level, env: { PS1: "ready> " } });
  // A shell may drop what is typed before its prompt.
  const prompts = (count: number) =>
    until(`prompt ${count}`, () => shell.text().split("ready> ").length > count);
  await prompts(1);
  const second = nap();
  shell.type(`/bin/sleep ${second}\r`);
  await sleeping(second);
  shell.type("\u001a");
  await shell.saw("Stopped");
  await prompts(2);
  shell.type("bg; jobs; echo in background\r");
  await shell.saw("Running");
  await shell.saw("\nin background");
  await prompts(3);
  shell.type("fg\r");
  await shell.saw(`fg\r\n/bin/sleep ${second}`);
  shell.type("\u0003");
  await prompts(4);
  // In its place, one that a signal ends: each start behind a wall costs.
  shell.type("echo back $((40 + 2)); exec sh -c 'kill -TERM $$; sleep 9'\r");
  await shell.saw("back 42");
  expect(await shell.exit()).toEqual({ exitCode: 143, signal: null });
}

/** So long a sleep as nobody else's. */
function nap(): string {
  return String(100_000 + Math.floor(Math.random() * 900_000));
}

/** From outside, where every process is seen. */
async function sleeping(seconds: string): Promise<void> {
  const command = new RegExp(`^\\S*sleep ${seconds}$`);
  const isIt = (pid: string) => command.test(readCommand(Number(pid)).join(" ").trim());
  const pids = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  await until(`sleep ${seconds} runs`, () => pids().some(isIt));
}
