import { afterEach, expect, test } from "vitest";
import { createLog } from "../log.ts";
import { formatProcessTag, findTaggedProcesses, sweepRuns } from "../sweep.ts";
import { alive } from "../../test/support/processes.ts";
import { until } from "../../test/support/waiting.ts";
import { listChildren } from "../processes/process-record.ts";
import type { Input } from "../terminals/spawn-plan.ts";
import { Commands } from "./commands.ts";
import type { KeptOutput } from "./kept-output.ts";
import type { CommandRun } from "./command-run.ts";

const INSTANCE = "c0ffee".padEnd(32, "0");
const open: Commands[] = [];

afterEach(() => {
  for (const commands of open.splice(0)) commands.dispose();
});

function commandsWith(kept = { head: 1_000, tail: 4_000 }): Commands {
  const log = createLog("silent", () => {});
  const commands = new Commands({ instance: () => INSTANCE, log, kept });
  open.push(commands);
  return commands;
}

async function start(line: string, input?: Input, by = commandsWith()): Promise<CommandRun> {
  const env = { PATH: process.env["PATH"] ?? "" };
  const started = await by.start({ argv: ["/bin/sh", "-c", line], cwd: "/", env, input });
  if (!started.ok) throw new Error(started.error);
  return started.value;
}

async function ended(line: string, text?: string): Promise<CommandRun> {
  const run = await start(line, text === undefined ? undefined : { text, staysOpen: false });
  await run.finished;
  return run;
}

const getText = (output: KeptOutput) =>
  output
    .read()
    .map(({ bytes }) => bytes.toString())
    .join("");

/** Resolves when the run has printed `text`. */
async function printed(run: CommandRun, text: string): Promise<void> {
  if (getText(run.output).includes(text)) return;
  await new Promise<void>((resolve) => {
    const stop = run.onOutput(() => {
      if (!getText(run.output).includes(text)) return;
      stop();
      resolve();
    });
  });
}

test("Y1 stdout and stderr are apart, and together in the order in which they came", async () => {
  const run = await ended("echo one; sleep 0.05; echo two >&2; sleep 0.05; echo three; exit 3");
  expect(getText(run.stdout)).toBe("one\nthree\n");
  expect(getText(run.stderr)).toBe("two\n");
  expect(getText(run.output)).toBe("one\ntwo\nthree\n");
  expect(run.life).toMatchObject({ state: "ended", exit: { exitCode: 3, signal: null } });
});

test("Y73 a program may open its output again by name", async () => {
  const run = await ended("echo out > /dev/stdout; echo err > /dev/stderr");
  expect(getText(run.stdout)).toBe("out\n");
  expect(getText(run.stderr)).toBe("err\n");
});

test("Y2 the end of a long output is kept, and all of it counted", async () => {
  const run = await ended("echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last");
  expect(run.output.end).toBe(3_000_000 + "first\n\nlast\n".length);
  expect(run.output.lost).toBe(run.output.end - 5_000);
  expect(getText(run.output)).toMatch(/^first\nx+\nlast\n$/);
});

test("Y3 a run is over with its process, whoever still holds its output", async () => {
  const run = await ended("echo printed; setsid sleep 60 & exit 0");
  expect(getText(run.output)).toBe("printed\n");
  expect(run.hasLeftovers).toBe(true);
});

test("Y3 everything that was printed by its end is there", async () => {
  const run = await ended("head -c 60000 /dev/zero | tr '\\0' y; setsid sleep 60 & exit 0");
  expect(run.output.end).toBe(60_000);
});

test("Y4 a timeout ends the whole tree", async () => {
  const run = await start("setsid sleep 60 & trap '' TERM; echo up; while :; do sleep 60; done");
  await printed(run, "up");
  run.endAfter(1);
  await run.finished;
  await run.end("stopped");
  expect(run.life).toMatchObject({ state: "ended", by: "timeout" });
  expect(findTaggedProcesses(formatProcessTag(INSTANCE, run.id))).toEqual([]);
});

test("Y4 a timeout that was taken back ends nothing", async () => {
  const run = await start("read line; echo got $line", { text: "", staysOpen: true });
  run.endAfter(1);
  run.endAfter(undefined);
  await new Promise((resolve) => setTimeout(resolve, 20));
  run.write(Buffer.from("it\n"));
  await run.finished;
  expect(getText(run.output)).toBe("got it\n");
  expect(run.life).toMatchObject({ state: "ended", by: undefined });
});

test("Y5 a command reads the input that it was given, and else none", async () => {
  expect(getText((await ended("cat; echo end", "given\n")).stdout)).toBe("given\nend\n");
  expect(getText((await ended("cat; echo end")).stdout)).toBe("end\n");
  expect((await ended("true", "x".repeat(1 << 20))).life.state).toBe("ended");
});

test("Y74 an interrupt reaches the whole group", async () => {
  const run = await start("trap 'echo caught; exit 5' INT; echo up; while :; do sleep 0.1; done");
  await printed(run, "up");
  run.signal("SIGINT");
  await run.finished;
  expect(getText(run.output)).toBe("up\ncaught\n");
  expect(run.life).toMatchObject({ exit: { exitCode: 5, signal: null } });
});

test("Y77 what cannot start says why", async () => {
  const argv = ["/bin/sh", "x".repeat(1 << 20)] as const;
  const plan = { argv, cwd: "/", env: {}, input: undefined };
  expect(await commandsWith().start(plan)).toEqual({
    ok: false,
    error: "The command could not be started: spawn E2BIG",
  });
});

test("Y6 runs end with their bridge, and what they left behind", async () => {
  const commands = commandsWith();
  const run = await start("setsid sleep 60 & echo up; sleep 60", undefined, commands);
  const over = await start("setsid sleep 60 & exit 0", undefined, commands);
  await Promise.all([printed(run, "up"), over.finished]);
  commands.dispose();
  await run.finished;
  const left = () =>
    [run, over].flatMap(({ id }) => findTaggedProcesses(formatProcessTag(INSTANCE, id)));
  await until("nothing is left", () => left().length === 0);
});

test("Y4 a timeout also ends what dropped its mark and its session, as long as its parent runs", async () => {
  const line = "env -i setsid sleep 61 & echo up; wait";
  const run = await start(line);
  await printed(run, "up");
  const [sleeper] = listChildren(run.pid ?? 0);
  expect(alive(sleeper ?? 0)).toBe(true);
  await run.end("timeout");
  expect(alive(sleeper ?? 0)).toBe(false);
});

test("Y75 the next bridge ends the runs of one that was killed", async () => {
  const run = await start("setsid sleep 60 & echo up; sleep 60");
  await printed(run, "up");
  sweepRuns("0".repeat(32));
  expect(findTaggedProcesses(formatProcessTag(INSTANCE, run.id))).not.toEqual([]);
  sweepRuns(INSTANCE);
  await run.finished;
  await until(
    "nothing is left",
    () => findTaggedProcesses(formatProcessTag(INSTANCE, run.id)).length === 0,
  );
});

test("Y76 the last 20 finished runs are kept", async () => {
  const commands = commandsWith();
  const runs = [];
  for (let count = 0; count < 22; count++) {
    const run = await start("setsid sleep 60 & exit 0", undefined, commands);
    await run.finished;
    runs.push(run);
  }
  expect(commands.running()).toEqual([]);
  expect(runs.map(({ hasLeftovers }) => hasLeftovers)).toEqual([
    false,
    false,
    ...Array.from({ length: 20 }, () => true),
  ]);
});

test("Y1 many at once do not mix", async () => {
  const commands = commandsWith();
  const runs = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      start(`echo ${index}; echo e${index} >&2`, undefined, commands),
    ),
  );
  await Promise.all(runs.map(({ finished }) => finished));
  expect(runs.map(({ stdout, stderr }) => getText(stdout) + getText(stderr))).toEqual(
    runs.map((_, index) => `${index}\ne${index}\n`),
  );
});
