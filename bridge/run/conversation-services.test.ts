// Coding agents (made with the SDK) in a room with a real pty host: their requests and the results.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type {
  AgentContext,
  PermissionOption,
  RequestPermissionRequest,
} from "@agentclientprotocol/sdk";
import { agent, RequestError } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { AcpRoom, shareHost } from "../../test/support/acp-room.ts";
import { misfits } from "../../test/support/acp-schema.ts";
import { until } from "../../test/support/waiting.ts";

shareHost();

type Turn = (client: AgentContext, sessionId: string, signal: AbortSignal) => Promise<unknown>;

/** An agent that does one thing on each prompt. */
function doing(turn: Turn) {
  return agent({ name: "bot" })
    .onRequest("initialize", () => ({
      protocolVersion: 1,
      agentInfo: { name: "bot", version: "1" },
    }))
    .onRequest("session/new", () => ({ sessionId: "s1" }))
    .onRequest("session/prompt", async ({ client, params, signal }) => {
      await turn(client, params.sessionId, signal);
      return { stopReason: "end_turn" };
    })
    .onNotification("session/cancel", () => {});
}

async function failure(asked: Promise<unknown>): Promise<{ code: number; message: string }> {
  try {
    await asked;
  } catch (error) {
    if (error instanceof RequestError) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: 0, message: "" };
}

test("AC1 AC83 AC84 AC85 create, wait, output, release: a program's own line ends, its exit, and a dead id", async () => {
  const room = await AcpRoom.start();
  const person = room.person();
  const seen: unknown[] = [];
  const joined = room.join(
    doing(async (client, sessionId) => {
      const { terminalId } = await client.request("terminal/create", {
        sessionId,
        command: "printf 'one\\ntwo\\r\\n\\033[31mred\\033[0m\\n'; exit 3",
      });
      const ids = { sessionId, terminalId };
      seen.push(await client.request("terminal/wait_for_exit", ids));
      seen.push(await client.request("terminal/output", ids));
      await client.request("terminal/release", ids);
      for (const method of ["output", "wait_for_exit", "kill", "release"]) {
        seen.push((await failure(client.request(`terminal/${method}`, ids))).code);
      }
    }),
    { prompt: "go" },
  );
  await person.answer("once");
  expect(await joined.turn).toEqual({ reason: "end_turn" });
  expect(seen).toEqual([
    { exitCode: 3, signal: null },
    { output: "one\ntwo\r\nred\n", truncated: false, exitStatus: { exitCode: 3, signal: null } },
    -32_002,
    -32_002,
    -32_002,
    -32_002,
  ]);
  expect(misfits(joined.sent, joined.received)).toEqual([]);
});

test("AC1 a timeout is built of wait, kill, output and release; a release kills, too", async () => {
  const room = await AcpRoom.start();
  const person = room.person();
  const seen: unknown[] = [];
  const joined = room.join(
    doing(async (client, sessionId) => {
      const first = await client.createTerminal({
        sessionId,
        command: "sh",
        args: ["-c", "echo begun; sleep 600"],
      });
      await until("it prints", async () => (await first.currentOutput()).output === "begun\n");
      seen.push((await first.currentOutput()).exitStatus);
      const waiting = first.waitForExit();
      await first.kill();
      seen.push(await waiting, (await first.currentOutput()).output);
      await first.release();
      const second = await client.createTerminal({
        sessionId,
        command: "sh",
        args: ["-c", "sleep 601"],
      });
      await second.release();
      seen.push(room.pool.get(second.id)?.life.state);
    }),
    { prompt: "go" },
  );
  await person.answer("once");
  await person.answer("once");
  expect(await joined.turn).toEqual({ reason: "end_turn" });
  const [before, exit, output, life] = seen;
  expect(before).toBeUndefined();
  expect(exit).toMatchObject({ exitCode: null, signal: expect.stringMatching(/^SIG/) });
  expect([output, life]).toEqual(["begun\n", "finished"]);
  expect(misfits(joined.sent, joined.received)).toEqual([]);
});

test("AC2 the limit cuts the oldest output at a character, and says so", async () => {
  const room = await AcpRoom.start();
  const seen: unknown[] = [];
  const joined = room.join(
    doing(async (client, sessionId) => {
      for (const outputByteLimit of [6, 0, 100]) {
        const terminal = await client.createTerminal({
          sessionId,
          command: "echo",
          args: ["ab€€"],
          outputByteLimit,
        });
        await terminal.waitForExit();
        const { output, truncated } = await terminal.currentOutput();
        seen.push([output, truncated]);
        await terminal.release();
      }
    }),
    { prompt: "go" },
  );
  expect(await joined.turn).toEqual({ reason: "end_turn" });
  expect(seen).toEqual([
    ["€\n", true],
    ["", true],
    ["ab€€\n", false],
  ]);
});

test("AC3 AC86 one plain word is a program that has to be there; anything else is a line", async () => {
  const room = await AcpRoom.start();
  const person = room.person();
  const seen: unknown[] = [];
  const joined = room.join(
    doing(async (client, sessionId) => {
      const missing = { sessionId, command: "no-such-program-here" };
      seen.push((await failure(client.request("terminal/create", missing))).message);
      const line = await client.createTerminal({
        sessionId,
        command: 'echo "$GREETING" | sed s/hello/HELLO/',
        env: [{ name: "GREETING", value: "hello" }],
        cwd: room.folder,
      });
      await line.waitForExit();
      seen.push((await line.currentOutput()).output);
      for (const cwd of ["relative", "/etc"]) {
        seen.push((await failure(client.request("terminal/create", { ...missing, cwd }))).message);
      }
    }),
    { prompt: "go" },
  );
  await person.answer("once");
  expect(await joined.turn).toEqual({ reason: "end_turn" });
  expect(seen).toEqual([
    "Command not found: no-such-program-here",
    "HELLO\n",
    "cwd must be absolute: relative",
    expect.stringMatching(/outside the shared folders/),
  ]);
});

test("AC4 AC87 a command is judged, asked about and denied as any agent's; with no one there it fails at once", async () => {
  const room = await AcpRoom.start();
  const seen: { code: number; message: string }[] = [];
  const app = doing(async (client, sessionId) => {
    const command = "rm -rf build";
    seen.push(await failure(client.request("terminal/create", { sessionId, command })));
  });
  await room.join(app, { prompt: "go" }).turn;
  expect(seen.pop()).toMatchObject({
    code: -32_001,
    message: expect.stringMatching(/no one is available/),
  });
  const person = room.person();
  const joined = room.join(app, { prompt: "go" });
  const approval = await person.answer("deny", "not today");
  expect(approval).toMatchObject({
    kind: "command",
    via: "terminal/create",
    command: "rm -rf build",
    cwd: room.folder,
    expiresAt: null,
  });
  await joined.turn;
  expect(seen.pop()).toMatchObject({
    code: -32_001,
    message: expect.stringMatching(/denied this: not today/),
  });
  expect(room.audit).toMatch(/"tool":"terminal\/create".*rm -rf build.*denied/);
});

test("AC5 a person's yes to the agent's own question spares ours, for the very command, once", async () => {
  const room = await AcpRoom.start();
  const person = room.person();
  const ran: string[] = [];
  const joined = room.join(
    doing(async (client, sessionId) => {
      const asked = await client.request("session/request_permission", {
        sessionId,
        toolCall: { toolCallId: "t1", title: "Build it", rawInput: { command: "echo a > made" } },
        options: [
          { optionId: "always", name: "Always", kind: "allow_always" },
          { optionId: "yes", name: "Yes", kind: "allow_once" },
          { optionId: "no", name: "No", kind: "reject_once" },
        ],
      });
      ran.push(JSON.stringify(asked.outcome));
      const command = "echo a > made";
      const env = [{ name: "CI", value: "1" }];
      const first = await client.createTerminal({ sessionId, command, env });
      await first.waitForExit();
      ran.push("first");
      // The second time needs an approval.
      const again = await failure(client.request("terminal/create", { sessionId, command }));
      ran.push(again.message.slice(0, 20));
    }),
    { prompt: "go" },
  );
  const approval = await person.answer("once");
  expect(approval).toMatchObject({ kind: "permission", command: "echo a > made" });
  expect(approval.offers).toEqual(["once", "deny"]);
  const second = await person.answer("deny");
  expect(second).toMatchObject({ kind: "command", command: "echo a > made" });
  await joined.turn;
  expect(ran).toEqual(['{"outcome":"selected","optionId":"yes"}', "first", "A person denied this"]);
  expect(existsSync(join(room.folder, "made"))).toBe(true);
  expect(misfits(joined.sent, joined.received)).toEqual([]);
});

test("AC88 a yes to a line spares nothing for variables that no one saw", async () => {
  const room = await AcpRoom.start();
  const person = room.person();
  const seen: string[] = [];
  const joined = room.join(
    doing(async (client, sessionId) => {
      const command = "rm -rf $T";
      await client.request("session/request_permission", {
        sessionId,
        toolCall: { toolCallId: "t1", title: "Tidy", rawInput: { command } },
        options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
      });
      const env = [{ name: "T", value: "important" }];
      const asked = await failure(client.request("terminal/create", { sessionId, command, env }));
      seen.push(asked.message);
    }),
    { prompt: "go" },
  );
  expect(await person.answer("once")).toMatchObject({ kind: "permission" });
  expect(await person.answer("deny")).toMatchObject({ kind: "command", command: "rm -rf $T" });
  await joined.turn;
  expect(seen).toEqual([expect.stringMatching(/denied/)]);
});

test("AC25 a command that is too long is refused before anyone looks at it", async () => {
  const room = await AcpRoom.start();
  const seen: { code: number; message: string }[] = [];
  const args = Array.from({ length: 200_000 }, () => "a");
  const joined = room.join(
    doing(async (client, sessionId) => {
      const create = (more: object) =>
        client.request("terminal/create", { sessionId, command: "echo", ...more });
      seen.push(await failure(create({ args })));
      seen.push(await failure(create({ env: args.map((name) => ({ name, value: "" })) })));
      const asked = client.request("session/request_permission", {
        sessionId,
        toolCall: { toolCallId: "t1", title: "Much", rawInput: { command: "echo", args } },
        options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
      });
      seen.push(await failure(asked));
    }),
    { prompt: "go" },
  );
  await joined.turn;
  const refused = { code: -32_602, message: expect.stringMatching(/the limit is 4096/) };
  expect(seen).toEqual([refused, refused, refused]);
  expect(room.audit).not.toMatch(/"a","a"/);
});

test("AC6 AC89 AC90 a no is the agent's own way to say no; a cancelled turn answers every question", async () => {
  const room = await AcpRoom.start();
  const person = room.person();
  const outcomes: unknown[] = [];
  const options: PermissionOption[] = [
    { optionId: "y", name: "Yes", kind: "allow_once" },
    { optionId: "n", name: "No", kind: "reject_once" },
  ];
  const joined = room.join(
    doing(async (client, sessionId) => {
      for (const toolCallId of ["a", "b"]) {
        const toolCall = { toolCallId, title: `Do ${toolCallId}` };
        const asked: RequestPermissionRequest = { sessionId, toolCall, options };
        const answer = await client.request("session/request_permission", asked);
        outcomes.push({ ...answer.outcome, ...answer._meta });
      }
    }),
  );
  const { conversation } = await person.hear(
    "conversation:changed",
    (message) => message.conversation.state === "idle",
  );
  const { id } = conversation;
  person.say({ type: "conversation:open", id });
  await person.hear("conversation:opened");
  person.say({ type: "conversation:prompt", id, text: "do it" });
  await person.answer("deny", "not today");
  await person.hear("approval:requested");
  person.say({ type: "conversation:cancel", id });
  await person.hear("conversation:entry", ({ entry }) => entry.kind === "turn");
  const no = { outcome: "selected", optionId: "n", reason: "not today" };
  expect(outcomes).toEqual([no, { outcome: "cancelled" }]);
  const { entries } = room.room.conversations.getSnapshot(id) ?? { entries: [] };
  const permissions = entries.flatMap((entry) => (entry.kind === "permission" ? [entry] : []));
  expect(permissions.map(({ outcome }) => outcome)).toEqual(["denied", "withdrawn"]);
  expect(room.room.approvals.listOpen()).toEqual([]);
  expect(misfits(joined.sent, joined.received)).toEqual([]);
});

test("AC7 AC91 files are read by line, and written once a person has seen the difference", async () => {
  const room = await AcpRoom.start();
  const person = room.person();
  const path = join(room.folder, "notes.txt");
  writeFileSync(path, "one\ntwo\nthree\n");
  const seen: unknown[] = [];
  const joined = room.join(
    doing(async (client, sessionId) => {
      const read = (more: object) =>
        client.request("fs/read_text_file", { sessionId, path, ...more });
      seen.push((await read({})).content, (await read({ line: 2, limit: 1 })).content);
      const content = "one\n2\nthree\n";
      await client.request("fs/write_text_file", { sessionId, path, content });
      const fresh = join(room.folder, "new", "deep.txt");
      const made = client.request("fs/write_text_file", { sessionId, path: fresh, content: "x" });
      seen.push(await failure(made));
    }),
    { prompt: "go" },
  );
  const approval = await person.answer("once");
  expect(approval).toMatchObject({ kind: "write", via: "fs/write_text_file" });
  expect(approval.diff?.split("\n").slice(2)).toEqual([
    "@@ -1,3 +1,3 @@",
    " one",
    "-two",
    "+2",
    " three",
  ]);
  await person.answer("deny");
  await joined.turn;
  expect(seen.slice(0, 2)).toEqual(["one\ntwo\nthree\n", "two\n"]);
  expect(seen[2]).toMatchObject({ code: -32_001 });
  expect(readFileSync(path, "utf8")).toBe("one\n2\nthree\n");
  expect(existsSync(join(room.folder, "new"))).toBe(false);
  expect(misfits(joined.sent, joined.received)).toEqual([]);
});

test("AC8 what the user turned off is not offered, and an agent that asks is told so", async () => {
  const room = await AcpRoom.start({ acp: { hasTerminals: false, hasFiles: false } });
  const seen: unknown[] = [];
  const joined = room.join(
    doing(async (client, sessionId) => {
      const asked = { sessionId, command: "ls", path: "/x", content: "" };
      seen.push(await failure(client.request("terminal/create", asked)));
      seen.push(await failure(client.request("fs/write_text_file", asked)));
    }),
    { prompt: "go" },
  );
  await joined.turn;
  expect(joined.sent[0]).toMatchObject({
    params: {
      clientCapabilities: { terminal: false, fs: { readTextFile: false, writeTextFile: false } },
    },
  });
  expect(seen).toEqual([
    { code: -32_601, message: expect.stringMatching(/acp\.terminal/) },
    { code: -32_601, message: expect.stringMatching(/acp\.files/) },
  ]);
});

test("AC9 an agent that waits may stop waiting, and one that asked may stop asking", async () => {
  const room = await AcpRoom.start();
  const person = room.person();
  const seen: unknown[] = [];
  const joined = room.join(
    doing(async (client, sessionId) => {
      const first = new AbortController();
      const terminal = await client.createTerminal({
        sessionId,
        command: "sh",
        args: ["-c", "sleep 600"],
      });
      const ids = { sessionId, terminalId: terminal.id };
      const cancellationSignal = first.signal;
      const waiting = client.request("terminal/wait_for_exit", ids, { cancellationSignal });
      first.abort();
      seen.push((await failure(waiting)).code, room.pool.get(terminal.id)?.life.state);
      await terminal.release();
      const second = new AbortController();
      const command = "rm -rf never";
      const options = { cancellationSignal: second.signal };
      const asking = client.request("terminal/create", { sessionId, command }, options);
      await until("a person is asked", () => room.room.approvals.listOpen().length === 1);
      second.abort();
      seen.push((await failure(asking)).code, room.room.approvals.listOpen());
    }),
    { prompt: "go" },
  );
  await person.answer("once");
  await joined.turn;
  expect(seen).toEqual([-32_800, "running", -32_800, []]);
  expect(misfits(joined.sent, joined.received)).toEqual([]);
});
