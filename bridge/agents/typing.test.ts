// What an agent may type, over a terminal and people that a test plays.

import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { callerWith, grantOf } from "../../test/support/caller.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import type { ApprovalWish } from "../approvals/wish.ts";
import type { Permission } from "../pipeline/pipeline.ts";
import { judgeShell } from "../policy/policy.ts";
import type { Foreground } from "../processes/foreground.ts";
import { Session } from "../sessions/book.ts";
import { parseKeys } from "../sessions/keys.ts";
import type { Live } from "../sessions/live.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { Typing } from "./typing.ts";

const HERE = tmpdir();
const NOBODY = new AbortController().signal;

const live: Live = {
  exit: () => undefined,
  finished: new Promise(() => {}),
  read: () => Promise.resolve(undefined),
  subscribe: () => () => {},
  type: () => Promise.resolve(undefined),
  claim: () => {},
  keep: () => {},
  stop: () => Promise.resolve(),
};

function world(answer: () => Permission | Promise<Permission> = () => ({ ok: true })) {
  const asked: ApprovalWish[] = [];
  const written: unknown[] = [];
  const around = { front: ["bash"], behind: [] as string[], cwd: HERE };
  const program = (line: string) => ({ pid: 1, path: "", argv: line.split(" ") });
  const typing = new Typing({
    approvals: {
      ask: (wish) => {
        asked.push(wish);
        return Promise.resolve(answer());
      },
    },
    audit: { write: (entry) => void written.push(entry) },
    judge: (line, cwd) => judgeShell(line, { cwd }),
    foregroundOf: (): Foreground => ({
      front: around.front.map(program),
      behind: around.behind.map(program),
      cwd: around.cwd,
    }),
    roots: [HERE],
    policyVersion: "1",
    inSandbox: "run",
  });
  const session = new Session(1, { owner: "ada", command: "bash", live, startedAt: 0 });
  const caller = callerWith(grantOf("aaaaaaaaaa"));
  const meta = poolTerminal().meta;
  const call = { caller };
  const type = (stdin: string, terminal: PoolTerminal | undefined = poolTerminal({ meta })) =>
    typing.mayType({
      call,
      subject: session,
      via: "terminal_continue",
      terminal,
      typed: parseKeys(stdin),
      signal: NOBODY,
    });
  const lines = () => asked.map(({ command }) => command);
  return { type, asked, lines, around, written, caller, session, typing };
}

test("Y22 a safe line is typed, any other is asked about as input, with the shell's folder", async () => {
  const { type, asked, lines, written } = world();
  expect(await type("git status\n")).toMatchObject({ ok: true });
  expect(lines()).toEqual([]);
  expect(await type("make all\n")).toMatchObject({ ok: true });
  expect(asked).toMatchObject([
    { kind: "input", via: "terminal_continue", command: "make all", cwd: HERE, isolation: "none" },
  ]);
  expect(written).toMatchObject([{ verdict: "safe" }, { verdict: "unknown" }]);
});

test("Y22 a half line waits for its end, and a denied call changes nothing of it", async () => {
  let isAllowed = true;
  const { type, lines } = world(() => (isAllowed ? { ok: true } : { ok: false, error: "No" }));
  expect(await type("make")).toMatchObject({ ok: true });
  expect(lines()).toEqual([]);
  isAllowed = false;
  expect(await type(" all\n")).toEqual({ ok: false, error: "No" });
  isAllowed = true;
  expect(await type(" some\n")).toMatchObject({ ok: true });
  expect(lines()).toEqual(["make all", "make some"]);
});

test("Y22 an interrupt is never asked about, and a line from the history always", async () => {
  const { type, lines, asked } = world();
  await type("<C-c>");
  await type("<C-d>");
  expect(lines()).toEqual([]);
  await type("<Up><Enter>");
  expect(asked[0]?.judgement).toMatchObject({ verdict: "unknown" });
});

test("Y22 other programs' input is not judged, unless a shell may read it behind them", async () => {
  const { type, lines, around } = world();
  around.front = ["python3"];
  around.behind = ["bash"];
  await type("import os; os.system('make')\n");
  around.front = ["sleep 5"];
  await type("y\n");
  expect(lines()).toEqual([]);
  await type("make ahead\n");
  expect(lines()).toEqual(["make ahead"]);
});

test("Y22 what is typed behind a wall is not judged", async () => {
  const { type, lines } = world();
  const meta = { ...poolTerminal().meta, isolation: "sandbox" as const };
  expect(await type("rm -rf /\n", poolTerminal({ meta }))).toMatchObject({ ok: true });
  expect(lines()).toEqual([]);
});

test("Y22 work outside the shared folders is never safe", async () => {
  const { type, asked, around } = world();
  around.cwd = "/etc";
  await type("ls\n");
  expect(asked[0]?.judgement.why).toContain("it runs outside the folders that the user shares");
});

test("Y22 an answer is good for the program and the folder that it was given for", async () => {
  const one = world(() => {
    one.around.cwd = "/etc";
    return { ok: true };
  });
  expect(await one.type("make\n")).toMatchObject({ ok: false });
  const two = world(() => {
    two.around.front = ["ssh host"];
    two.caller.revoke();
    return { ok: true };
  });
  expect(await two.type("make\n")).toMatchObject({ ok: false });
});

test("Y22 a shell that reads a pipe is typed into like any", async () => {
  const { typing, caller, lines } = world();
  const type = (command: string) => {
    const session = new Session(2, { owner: "ada", command, live, startedAt: 0 });
    const typed = parseKeys("make\n");
    return typing.mayType({
      call: { caller },
      subject: session,
      via: "terminal_continue",
      terminal: undefined,
      typed,
      signal: NOBODY,
    });
  };
  await type("cat");
  expect(lines()).toEqual([]);
  await type("sh");
  expect(lines()).toEqual(["make"]);
});

test("Y22 text that another call puts in front while a person is asked withdraws what was asked", async () => {
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { type, lines } = world(() => held.then((): Permission => ({ ok: true })));
  const asked = type("make\n");
  expect(await type("echo before; ")).toMatchObject({ ok: true });
  answer();
  expect(await asked).toMatchObject({ ok: false, error: expect.stringContaining("changed") });
  expect(lines()).toEqual(["make"]);
});
