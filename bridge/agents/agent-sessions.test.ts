// Who owns an agent's sessions and commands, and when they end, over a pool that the test plays.

import { expect, test } from "vitest";
import { PERMIT } from "../../test/support/permit.ts";
import type { TerminalEvent } from "../../protocol/terminal.ts";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import type { GrantEvent } from "../grants/grant-table.ts";
import { Emitter } from "../emitter.ts";
import type { AgentSpawnRequest, RequestContext } from "../pipeline/pipeline.ts";
import { SerialQueue } from "../reading/serial-queue.ts";
import { SessionRegistry } from "../sessions/session-registry.ts";
import { SessionTools } from "../sessions/session-tools.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { describeTerminal } from "../terminals/terminal.ts";
import { AGENT_DEFAULTS } from "./defaults.ts";
import { AgentSessions } from "./agent-sessions.ts";

const ADA = createGrant("aaaaaaaaaa");
const BOB = createGrant("bbbbbbbbbb");
const NEVER = new AbortController().signal;

function world(found: PoolTerminal[] = [], known = [ADA, BOB]) {
  const terminals = [...found];
  const closed: string[] = [];
  const ended: string[] = [];
  const asked: [AgentSpawnRequest, RequestContext][] = [];
  const grants = new Emitter<[GrantEvent]>();
  const events = new Emitter<[TerminalEvent]>();
  const book = new SessionRegistry();
  const pool = {
    get: (id: string) => terminals.find((terminal) => terminal.id === id),
    all: () => terminals,
    onEvent: (listener: (event: TerminalEvent) => void) => events.add(listener),
    fetch: <T>(
      _terminal: PoolTerminal,
      _from: number,
      _most: number,
      accept: (retained: { offset: number; bytes: Buffer }) => T,
    ) => Promise.resolve(accept({ offset: 0, bytes: Buffer.from("ready\n") })),
    watch: () => () => {},
    input: () => {},
    storeSessionProgress: () => {},
    close: ({ id }: PoolTerminal) => {
      closed.push(id);
      return Promise.resolve();
    },
  };
  const sessions = new AgentSessions({
    pool,
    commands: {
      endForOwner: (owner) => {
        ended.push(owner);
        return Promise.resolve();
      },
    },
    mirrors: { show: () => {}, endForGrant: () => {} },
    commandPipeline: { run: () => Promise.resolve({ ok: false, error: "none" }) },
    sessions: {
      run: (caller, request, asking) => {
        asked.push([request, asking]);
        const terminal = createSession(book.nextNumber(), caller.grantId);
        terminals.push(terminal);
        return Promise.resolve({ ok: true, value: describeTerminal(terminal) });
      },
    },
    registry: book,
    typing: { requestPermit: () => Promise.resolve({ ok: true, value: PERMIT }) },
    defaults: AGENT_DEFAULTS,
    grants: {
      lookUp: (id) => known.find((grant) => grant.id === id),
      onEvent: (listener) => grants.add(listener),
    },
    targetDeps: { wantsApplicationKeys: () => Promise.resolve(false), reads: new SerialQueue() },
  });
  const tools = new SessionTools(sessions, book);
  const start = async (caller = callerWith(ADA), command = "npm run dev") => {
    const outcome = await tools.start({ caller }, { command, until: "ready" }, NEVER);
    if (!outcome.ok) throw new Error(outcome.error);
    return outcome.value.fields.id;
  };
  const listed = (grant = ADA) =>
    tools.list({ caller: callerWith(grant) }).fields.sessions.map(({ id }) => id);
  return { tools, sessions, start, listed, closed, ended, grants, events, asked, terminals };
}

/** Returns a session's terminal as the pool has it, also if the previous bridge started it. */
function createSession(number: number, grant: string, more: Partial<PoolTerminal["meta"]> = {}) {
  return poolTerminal({
    id: `pty-00000${number}`,
    meta: {
      cwd: "/",
      owner: "agent",
      visible: false,
      createdAt: 0,
      command: ["/bin/sh", "-c", "npm run dev"],
      startedBy: { grant, label: "" },
      lane: "session",
      lifetime: "held",
      session: { number, position: 4 },
      ...more,
    },
  });
}

test("Y23 a grant's sessions and commands end with it, and no one else's", async () => {
  const { start, listed, closed, ended, grants } = world();
  await start();
  await start(callerWith(BOB));
  grants.fire({ event: "renewed", grant: ADA });
  expect(closed).toEqual([]);
  grants.fire({ event: "revoked", grant: ADA });
  expect([listed(), listed(BOB)]).toEqual([[], ["term-2"]]);
  expect([closed, ended]).toEqual([["pty-000001"], [ADA.id]]);
  grants.fire({ event: "expired", grant: BOB });
  expect(closed).toEqual(["pty-000001", "pty-000002"]);
});

test("Y94 what was started through an MCP session ends with that, the grant's other ones do not", async () => {
  const { start, sessions, listed, closed } = world();
  const [one, other] = [callerWith(ADA), callerWith(ADA)];
  await start(one);
  await start(other);
  await sessions.endThrough(one);
  expect(closed).toEqual(["pty-000001"]);
  expect(listed()).toEqual(["term-2"]);
});

test("Y21 Y95 the next bridge has the sessions of the one before, where they were, and no number twice", async () => {
  const running = createSession(7, ADA.id);
  const reported = createSession(8, ADA.id, { session: { number: 8, position: 0, isTold: true } });
  const users = createSession(9, ADA.id, { owner: "user", visible: true });
  const orphan = createSession(6, "cccccccccc");
  const { tools, listed, start, closed } = world([running, reported, users, orphan]);
  expect(listed()).toEqual(["term-7"]);
  expect(tools.list({ caller: callerWith(ADA) }).fields.sessions).toMatchObject([
    { id: "term-7", command: "npm run dev", position: 4, running: true },
  ]);
  // Its agent's grant has ended meanwhile.
  expect(closed).toEqual(["pty-000006"]);
  expect(await start()).toBe("term-9");
});

test("Y96 a promoted session is the user's, and its agent's no more", async () => {
  const { start, tools, events, terminals, closed } = world();
  const id = await start();
  const [terminal] = terminals;
  if (terminal === undefined) throw new Error("nothing was started");
  events.fire({ type: "terminal", event: "promoted", terminal: describeTerminal(terminal) });
  const caller = callerWith(ADA);
  expect(await tools.continue({ caller }, { sessionId: id, stdin: "x" }, NEVER)).toMatchObject({
    ok: false,
  });
  expect(await tools.stop({ caller }, id)).toMatchObject({ ok: false });
  expect(closed).toEqual([]);
});

test("Y93 the question about a start says what is not asked about later", async () => {
  const { start, asked } = world();
  await start(callerWith(ADA), "npm run dev");
  await start(callerWith(ADA), "bash");
  expect(asked.map(([request, { via, line, note }]) => [request.lane, via, line, note])).toEqual([
    [
      "session",
      "terminal_start",
      "npm run dev",
      "what the agent types there needs no further approval",
    ],
    ["session", "terminal_start", "bash", undefined],
  ]);
});
