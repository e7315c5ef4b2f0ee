// What an agent may type, over a terminal and people that the test plays.

import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import type { ApprovalRequest } from "../approvals/approval-request.ts";
import type { ApprovalResult } from "../pipeline/pipeline.ts";
import { judgeShell } from "../policy/policy.ts";
import type { Foreground } from "../processes/foreground.ts";
import { Session } from "../sessions/session-registry.ts";
import { parseKeys } from "../sessions/named-keys.ts";
import type { SessionTarget } from "../sessions/session-target.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { TypingGate } from "./typing-gate.ts";

const HERE = tmpdir();
const NOBODY = new AbortController().signal;

const live: SessionTarget = {
  exit: () => undefined,
  finished: new Promise(() => {}),
  read: () => Promise.resolve(undefined),
  subscribe: () => () => {},
  type: () => Promise.resolve(undefined),
  claim: () => {},
  storeProgress: () => {},
  stop: () => Promise.resolve(),
};

function world(answer: () => ApprovalResult | Promise<ApprovalResult> = () => ({ ok: true })) {
  const asked: ApprovalRequest[] = [];
  const written: unknown[] = [];
  const around = { group: 7, front: ["bash"], behind: [] as string[], cwd: HERE };
  const program = (line: string) => ({
    pid: line === "bash" ? 1 : 2,
    path: "",
    argv: line.split(" "),
    isWaiting: true,
  });
  const typing = new TypingGate({
    approvals: {
      request: (spawnRequest) => {
        asked.push(spawnRequest);
        return Promise.resolve(answer());
      },
    },
    audit: { write: (entry) => void written.push(entry) },
    judge: (line, cwd) => judgeShell(line, { cwd }),
    getForeground: (): Foreground => ({
      group: around.group,
      front: around.front.map(program),
      behind: around.behind.map(program),
      cwd: around.cwd,
    }),
    roots: [HERE],
    policyVersion: "1",
    inSandbox: "run",
    settleMs: 0,
  });
  const session = new Session(1, { owner: "ada", command: "bash", target: live, startedAt: 0 });
  const caller = callerWith(createGrant("aaaaaaaaaa"));
  const own = poolTerminal();
  const call = { caller };
  const mayType = (stdin: string, terminal: PoolTerminal = own) =>
    typing.requestPermit({
      call,
      subject: session,
      via: "terminal_continue",
      terminal,
      typed: parseKeys(stdin),
      signal: NOBODY,
    });
  /** Uses the permit right before the input, as the tools do. */
  const type = async (stdin: string, terminal: PoolTerminal = own) => {
    const may = await mayType(stdin, terminal);
    if (!may.ok) return may;
    const error = may.value.use();
    if (error !== undefined) return { ok: false, error } as const;
    terminal.inputs += 1;
    return { ok: true } as const;
  };
  /** Simulates input by a person, or the terminal's reply to its program. */
  const somebodyTypes = () => {
    own.inputs += 1;
  };
  const lines = () => asked.map(({ command }) => command);
  return {
    type,
    mayType,
    somebodyTypes,
    asked,
    lines,
    around,
    written,
    caller,
    session,
    typing,
  };
}

const UNKNOWN = { verdict: "unknown" } as const;

test("Y22 a safe line is typed, any other is asked about as input, with the shell's folder", async () => {
  const { type, asked, lines, written } = world();
  expect(await type("git status\n")).toMatchObject({ ok: true });
  expect(lines()).toEqual([]);
  expect(await type("frob all\n")).toMatchObject({ ok: true });
  expect(asked).toMatchObject([
    { kind: "input", via: "terminal_continue", command: "frob all", cwd: HERE, isolation: "none" },
  ]);
  expect(written).toMatchObject([{ verdict: "safe" }, { verdict: "unknown" }]);
});

test("Y22 a half line waits for its end, and a denied call changes nothing of it", async () => {
  let isAllowed = true;
  const { type, lines } = world(() => (isAllowed ? { ok: true } : { ok: false, error: "No" }));
  expect(await type("frob")).toMatchObject({ ok: true });
  expect(lines()).toEqual([]);
  isAllowed = false;
  expect(await type(" all\n")).toEqual({ ok: false, error: "No" });
  isAllowed = true;
  expect(await type(" some\n")).toMatchObject({ ok: true });
  expect(lines()).toEqual(["frob all", "frob some"]);
});

test("Y22 an interrupt is never asked about, and a line from the history always", async () => {
  const { type, lines, asked } = world();
  await type("<C-c>");
  await type("<C-d>");
  expect(lines()).toEqual([]);
  await type("<Up><Enter>");
  expect(asked[0]?.judgement).toMatchObject({ verdict: "unknown" });
});

test("Y28 Q64 Q97 with a shell behind, every Enter is judged, and the question says why", async () => {
  const { type, lines, asked, around } = world();
  around.front = ["/usr/bin/less notes"];
  around.behind = ["bash"];
  await type("G");
  expect(lines()).toEqual([]);
  await type("qtouch x\n");
  await type("y\n");
  expect(lines()).toEqual(["Gqtouch x", "y"]);
  expect(asked.map(({ judgement }) => judgement)).toMatchObject([UNKNOWN, UNKNOWN]);
  expect(asked[1]?.judgement.notes?.[0]).toBe(
    "if less has exited by then, the shell behind it runs this, or the rest of it, as a command",
  );
  // The strictest suffix counts.
  await type("echo Qrm -rf /\n");
  expect(asked[2]?.judgement.verdict).not.toBe("unknown");
  expect(asked[2]?.judgement.notes).toContainEqual(
    expect.stringMatching(/^the shell may read: rm/),
  );
  expect(asked[2]?.judgement.why[0]).toBe("`rm -rf` deletes files");
});

test("Y93 what other programs read with no shell behind them is not judged where a person started them", async () => {
  const { typing, caller, lines, around } = world();
  around.front = ["python3"];
  const session = new Session(3, { owner: "ada", command: "python3", target: live, startedAt: 0 });
  const allowed = await typing.requestPermit({
    call: { caller },
    subject: session,
    via: "terminal_continue",
    terminal: poolTerminal(),
    typed: parseKeys("import os; os.system('make')\n"),
    signal: NOBODY,
  });
  expect(allowed.ok).toBe(true);
  expect(lines()).toEqual([]);
});

test("Y100 Y101 text that ^Z drops, or that another program may have read, makes no line harmless", async () => {
  const { type, lines, asked, around } = world();
  await type("cat\n");
  [around.group, around.front, around.behind] = [8, ["cat"], ["bash"]];
  await type("<Space>q");
  await type("<C-z>");
  [around.group, around.front, around.behind] = [7, ["bash"], []];
  await type("rm -rf dir\n");
  expect(lines()).toEqual([" q<C-z>rm -rf dir"]);
  const { verdict, why } = asked[0]?.judgement ?? {};
  expect(verdict).toBe("blocked");
  expect(why).toContain("the shell may read: rm -rf dir");
  // It was approved, and its Enter ended the line: the next line is known again.
  await type("git status\n");
  expect(lines()).toHaveLength(1);
});

test("Y99 Y102 after anyone else's input every line asks, until an interrupt at the prompt", async () => {
  const { type, asked, lines, somebodyTypes } = world();
  await type("echo ");
  somebodyTypes();
  await type("ls\n");
  await type("ls\n");
  expect(asked.map(({ judgement }) => judgement)).toMatchObject([UNKNOWN, UNKNOWN]);
  expect(asked[0]?.judgement.notes?.[0]).toContain("someone else has typed here");
  await type("<C-c>");
  await type("ls\n");
  expect(lines()).toHaveLength(3);
  await type("ls\n");
  expect(lines()).toHaveLength(3);
  // Enter alone may run what a person left in the line.
  somebodyTypes();
  await type("\n");
  expect(lines()).toHaveLength(4);
});

test("Y99 the line of a terminal of an earlier bridge is not known", async () => {
  const { type, lines } = world();
  await type("ls\n", poolTerminal({ inputs: 1 }));
  expect(lines()).toEqual(["ls"]);
});

test("Y91 what was allowed is not typed once another program reads, or anyone has typed", async () => {
  const one = world();
  const may = await one.mayType("ls\n");
  [one.around.group, one.around.front, one.around.behind] = [8, ["head -c5"], ["bash"]];
  expect(may.ok && may.value.use()).toContain("changed");
  const two = world();
  const other = await two.mayType("ls\n");
  two.somebodyTypes();
  expect(other.ok && other.value.use()).toContain("changed");
});

test("Y92 what is typed behind a wall is not judged", async () => {
  const { type, lines } = world();
  const meta = { ...poolTerminal().meta, isolation: "sandbox" as const };
  expect(await type("rm -rf /\n", poolTerminal({ meta }))).toMatchObject({ ok: true });
  expect(lines()).toEqual([]);
});

test("Y22 work outside the shared folders is never safe", async () => {
  const { type, asked, around } = world();
  around.cwd = "/etc";
  await type("ls\n");
  expect(asked[0]?.judgement.why).toContain("it runs outside the shared folders");
});

test("Y91 an answer is good for the program and the folder that it was given for", async () => {
  const one = world(() => {
    one.around.cwd = "/etc";
    return { ok: true };
  });
  expect(await one.type("frob\n")).toMatchObject({ ok: false });
  const two = world(() => {
    two.around.front = ["ssh host"];
    two.caller.revoke();
    return { ok: true };
  });
  expect(await two.type("frob\n")).toMatchObject({ ok: false });
});

test("Y22 a shell that reads a pipe is typed into like any", async () => {
  const { typing, caller, lines } = world();
  const type = (command: string) => {
    const session = new Session(2, { owner: "ada", command, target: live, startedAt: 0 });
    const typed = parseKeys("frob\n");
    return typing.requestPermit({
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
  expect(lines()).toEqual(["frob"]);
});

test("Y91 text that another call puts in front while a person is asked withdraws what was asked", async () => {
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { type, lines } = world(() => held.then((): ApprovalResult => ({ ok: true })));
  const asked = type("frob\n");
  expect(await type("echo before; ")).toMatchObject({ ok: true });
  answer();
  expect(await asked).toMatchObject({ ok: false, error: expect.stringContaining("changed") });
  expect(lines()).toEqual(["frob"]);
});

const AGENTS = { grant: "aaaaaaaaaa", label: "agent" };
const byAgent = (approved?: true) =>
  poolTerminal({
    meta: { ...poolTerminal().meta, startedBy: AGENTS, ...(approved && { approved }) },
  });

test("Y35 Y115 Y118 the first keys into a program that no person approved ask, once for that program", async () => {
  const { type, asked, lines, around, session } = world();
  Object.assign(session, { command: "git log" });
  const terminal = byAgent();
  [around.group, around.front] = [8, ["sh -c git_log", "git log", "less"]];
  await type("<Space><PageDown>Gq<C-c>", terminal);
  expect(lines()).toEqual([]);
  await type("!touch x<Enter>", terminal);
  expect(lines()).toEqual([" <PageDown>Gq<C-c>!touch x"]);
  expect(asked[0]?.judgement).toMatchObject(UNKNOWN);
  expect(asked[0]?.judgement.why[0]).toMatch(/^it types into less, which may run what it reads/);
  await type("!make<Enter>", terminal);
  expect(lines()).toHaveLength(1);
  // Another program is in front.
  [around.group, around.front] = [9, ["vim"]];
  await type("ix", terminal);
  expect(lines()).toHaveLength(2);
});

test("Y35 Y115 a denied question leaves nothing allowed, and another program withdraws what was allowed", async () => {
  let answer: ApprovalResult = { ok: false, error: "No" };
  const one = world(() => answer);
  Object.assign(one.session, { command: "git commit" });
  const terminal = byAgent();
  [one.around.group, one.around.front] = [8, ["vim"]];
  expect(await one.type("i:!x", terminal)).toEqual(answer);
  expect(await one.type("i:!x", terminal)).toEqual(answer);
  expect(one.asked).toHaveLength(2);
  answer = { ok: true };
  const may = await one.mayType("i:!x", terminal);
  one.around.group = 9;
  expect(may.ok && may.value.use()).toContain("changed");
});

test("Y116 Y119 what a person approved, and what takes text for data, is typed into without a question", async () => {
  const { type, lines, around, session } = world();
  around.front = ["python3"];
  Object.assign(session, { command: "python3" });
  await type("import os\n", byAgent(true));
  Object.assign(session, { command: "cat | sort" });
  around.front = ["sh -c cat", "cat", "sort"];
  await type("!touch x\n", byAgent());
  expect(lines()).toEqual([]);
  // Text that waits in the terminal is read by the next program.
  Object.assign(session, { command: "cat; git log" });
  await type("!touch x\n", byAgent());
  Object.assign(session, { command: "cat" });
  around.front = ["vim"];
  await type("!touch x\n", byAgent());
  expect(lines()).toHaveLength(2);
});

test("Y35 Y115 Y117 with a shell behind, keys without an Enter ask once per program, unless its line was approved", async () => {
  const { type, lines, around, somebodyTypes } = world();
  const shell = () => ([around.group, around.front, around.behind] = [7, ["bash"], []]);
  const vim = (group: number) =>
    ([around.group, around.front, around.behind] = [group, ["vim"], ["bash"]]);
  await type("git commit\n");
  vim(8);
  await type("i:!touch x");
  expect(lines()).toEqual(["i:!touch x"]);
  await type('<Esc>0yy@"');
  expect(lines()).toHaveLength(1);
  vim(9);
  await type("i");
  expect(lines()).toHaveLength(2);
  shell();
  await type("<C-c>");
  await type("vim x\n");
  expect(lines()).toHaveLength(3);
  vim(10);
  await type("ihello<Esc>");
  vim(11);
  await type("ihello<Esc>");
  expect(lines()).toHaveLength(3);
  // A person may have started another program.
  somebodyTypes();
  await type("ihello");
  expect(lines()).toHaveLength(4);
});

test("Y117 an answer to the program's query is no person's input", async () => {
  const { type, lines, around } = world();
  const terminal = byAgent(true);
  await type("vim x\n", terminal);
  [around.group, around.front, around.behind] = [8, ["vim"], ["bash"]];
  terminal.inputs += 1;
  terminal.answers += 1;
  await type("ihello", terminal);
  expect(lines()).toEqual(["vim x"]);
});

test("Y120 keys behind a line of the same call, which may start a program, are asked about", async () => {
  const { type, lines } = world();
  await type("git commit\nqai:!touch x");
  expect(lines()).toEqual(["git commit\nqai:!touch x"]);
  const { type: other, lines: others } = world();
  await other("git log\nq");
  await other("ls\n");
  await other("ls\ngit");
  expect(others()).toHaveLength(1);
});

test("Y115 each agent is allowed for itself, and a shell of no job control is no program of the start", async () => {
  const { type, lines, around } = world();
  const terminal = byAgent(true);
  await type("git commit\n", terminal);
  [around.group, around.front] = [7, ["bash", "vim"]];
  await type("i:!x", terminal);
  expect(lines()).toEqual(["i:!x"]);
});
