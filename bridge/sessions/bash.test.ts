// The steps of `bash` over real commands, without a policy or MCP.

import { afterAll, expect, test } from "vitest";
import { PERMIT } from "../../test/support/permit.ts";
import { Commands } from "../commands/commands.ts";
import type { CommandRun } from "../commands/command-run.ts";
import { createLog } from "../log.ts";
import { refusal } from "../pipeline/outcome.ts";
import type { ToolBackend, ToolSettings } from "./tool-backend.ts";
import { SessionRegistry } from "./session-registry.ts";
import { DEFAULT_INTERVALS } from "./tool-waits.ts";
import { SessionTools } from "./session-tools.ts";

const log = createLog("silent", () => {});
const commands = new Commands({ instance: () => "ba54".padEnd(32, "0"), log });
const NEVER = new AbortController().signal;

afterAll(() => commands.dispose());

function world(settings: Partial<ToolSettings> = {}) {
  const runs: CommandRun[] = [];
  const backend: ToolBackend<string> = {
    getOwner: (who) => who,
    getConnection: () => undefined,
    settings: () => ({
      cropOutput: 1_000,
      timeoutSeconds: 60,
      intervals: DEFAULT_INTERVALS,
      answerMs: 50_000,
      ...settings,
    }),
    run: async (_who, { line, input, env = {}, cwd = "/" }) => {
      if (line === "refused") return refusal("No");
      const whole = { PATH: process.env["PATH"] ?? "", ...env };
      const started = await commands.start({
        argv: ["/bin/sh", "-c", line],
        cwd,
        env: whole,
        input,
      });
      if (started.ok) runs.push(started.value);
      return started;
    },
    open: () => Promise.resolve(refusal("not here")),
    authorizeTyping: () => Promise.resolve({ ok: true, value: PERMIT }),
  };
  return { tools: new SessionTools(backend, new SessionRegistry()), runs };
}

async function unwrap<T>(outcome: Promise<{ ok: true; value: T } | { ok: false; error: string }>) {
  const known = await outcome;
  if (!known.ok) throw new Error(known.error);
  return known.value;
}

test("Y82 an answer has exit code, both streams and both together, without escape sequences", async () => {
  const { tools } = world();
  const command = "printf '\\033[31mred\\033[0m\\n'; sleep 0.05; echo err >&2; exit 4";
  const { text, notes, fields } = await unwrap(tools.bash("ada", { command }, NEVER));
  expect(text).toBe("Exit code: 4\n\nOutput:\nred\nerr\n");
  expect(notes).toEqual([]);
  expect(fields).toEqual({
    ok: false,
    exitCode: 4,
    stdout: "red\n",
    stderr: "err\n",
    output: "red\nerr\n",
  });
});

test("Y20 nothing runs for an empty command, nor for one that is refused", async () => {
  const { tools, runs } = world();
  expect(await tools.bash("ada", { command: " \n" }, NEVER)).toMatchObject({ ok: false });
  expect(await tools.bash("ada", { command: "refused" }, NEVER)).toEqual(refusal("No"));
  expect(runs).toEqual([]);
});

test("Y4 Y20 a timeout is told where the documented text has room for it, and beside its text", async () => {
  const { tools } = world();
  const request = { command: "echo up; sleep 60", timeoutSeconds: 0.2 };
  const { notes, fields } = await unwrap(tools.bash("ada", request, NEVER));
  expect(fields).toMatchObject({ ok: false, exitCode: null, signal: "SIGTERM", output: "up\n" });
  expect(notes).toEqual([fields.error]);
  expect(fields.error).toBe(
    "Timed out after 0.2 s: the command and everything it started were ended",
  );
});

test("Y83 what takes longer than an answer may goes on as a session, typed into and interrupted", async () => {
  const { tools } = world({ answerMs: 300 });
  const command =
    "trap 'echo caught; exit 7' INT; echo up; read line; echo got $line; sleep 60 & wait";
  const request = { command, timeoutSeconds: 60 };
  const { text, fields, notes } = await unwrap(tools.bash("ada", request, NEVER));
  expect(fields).toMatchObject({ ok: false, exitCode: null, output: "up\n", id: "term-1" });
  expect(text).toMatch(/^Terminal Session Started\nID: term-1\nCommand: trap .*\nPosition: 3\n/);
  expect(notes[0]).toMatch(/Its timeout of 60 s ends it unless you call terminal_continue first/);
  const say = (stdin: string, until: string) =>
    unwrap(tools.continue("ada", { sessionId: "term-1", stdin, until }, NEVER));
  expect((await say("it<Enter>", "got it")).fields.output).toBe("got it\n");
  const over = await say("<C-c>", "caught");
  expect(over.fields.output).toBe("caught\n");
  const end = await unwrap(tools.continue("ada", { sessionId: "term-1" }, NEVER));
  expect(end.fields).toMatchObject({ complete: true, exitCode: 7 });
});

test("Y84 its timeout ends it all the same, unless someone continues it", async () => {
  const { tools, runs } = world({ answerMs: 100 });
  const start = async () =>
    await unwrap(tools.bash("ada", { command: "sleep 60", timeoutSeconds: 0.4 }, NEVER));
  await start();
  const claimed = await start();
  const going = tools.continue("ada", { sessionId: claimed.fields.id ?? "" }, NEVER);
  await runs[0]?.finished;
  expect(runs[0]?.life).toMatchObject({ by: "timeout" });
  await going;
  expect(runs[1]?.life.state).toBe("running");
  await unwrap(tools.stop("ada", claimed.fields.id ?? ""));
});

test("Y5 Y20 a command without input cannot be typed into, and says how it could be", async () => {
  const { tools } = world({ answerMs: 100 });
  const { fields } = await unwrap(tools.bash("ada", { command: "sleep 60" }, NEVER));
  const request = { sessionId: fields.id ?? "", stdin: "x\n" };
  expect(await tools.continue("ada", request, NEVER)).toMatchObject({
    ok: false,
    error: expect.stringContaining("Its input is closed"),
  });
  await unwrap(tools.stop("ada", request.sessionId));
});

test("Y85 a call that is cancelled ends its command", async () => {
  const { tools, runs } = world();
  const leaving = new AbortController();
  const answer = tools.bash("ada", { command: "sleep 60" }, leaving.signal);
  while (runs.length === 0) await new Promise((resolve) => setImmediate(resolve));
  leaving.abort();
  expect(await answer).toMatchObject({ ok: false });
  await runs[0]?.finished;
  expect(runs[0]?.life).toMatchObject({ by: "stopped" });
});

test("Y12 Y80 a cut names the call that reads the rest, which then does", async () => {
  const { tools } = world();
  const { fields } = await unwrap(tools.bash("ada", { command: "seq 10000" }, NEVER));
  expect(fields.id).toBe("term-1");
  expect(fields.output).toMatch(/^1\n2\n[^]*\[cut: \d+ bytes; .*"term-1".*\]\n\d+\n[^]*\n10000\n$/);
  expect(fields.stdout).toMatch(/\[cut: \d+ bytes; /);
  const position = Number(/position (\d+)/.exec(fields.output)?.[1]);
  const rest = await unwrap(tools.continue("ada", { sessionId: "term-1", position }, NEVER));
  const whole = Array.from({ length: 10_000 }, (_, at) => `${at + 1}\n`).join("");
  expect(fields.output.startsWith(whole.slice(0, position))).toBe(true);
  expect(rest.fields.output).toBe(whole.slice(position, rest.fields.position));
  expect(tools.list("ada").fields.sessions).toEqual([]);
});

test("Y3 Y20 something that it left running is told", async () => {
  const { tools } = world();
  const { notes } = await unwrap(tools.bash("ada", { command: "sleep 60 & exit 0" }, NEVER));
  expect(notes[0]).toMatch(/^1 process that it started is still running/);
});

test("Y31 Y112 both streams together keep to the limit, with the failures in what is cut", async () => {
  const { tools } = world({ cropOutput: 2_000 });
  const command =
    "seq 1000; echo 'not ok 7 - out'; seq 1000; { seq 1000; echo 'error: in the middle'; seq 1000; } >&2";
  const { fields } = await unwrap(tools.bash("ada", { command }, NEVER));
  expect(fields.stdout).toMatch(/^1\n2\n[^]*not ok 7 - out\n[^]*\n1000\n$/);
  expect(fields.stderr).toMatch(/^1\n2\n[^]*error: in the middle\n[^]*\n1000\n$/);
  expect(fields.stdout.length + fields.stderr.length).toBeLessThan(2_000 + 4_000 + 400);
  for (const stream of [fields.stdout, fields.stderr]) {
    const [, id, position] = /sessionId "(.*)" and position (\d+) reads/.exec(stream) ?? [];
    expect(id).toBe("term-1");
    const args = { sessionId: "term-1", position: Number(position) };
    expect((await unwrap(tools.continue("ada", args, NEVER))).fields.output).toMatch(/\d+\n/);
  }
  const uneven = "seq 1000; seq 30 >&2";
  const small = await unwrap(tools.bash("ada", { command: uneven }, NEVER));
  expect(small.fields.stderr).toMatch(/^1\n2\n[^[]*30\n$/);
});
