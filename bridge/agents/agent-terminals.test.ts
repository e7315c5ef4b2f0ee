// The agents' service over terminals that fail on request.

import { expect, test } from "vitest";
import type { Caller } from "../callers/caller.ts";
import { Unavailable } from "../terminals/unavailable.ts";
import type { AgentPool } from "./agent-terminals.ts";
import { AgentTerminals } from "./agent-terminals.ts";
import { NOT_FOUND } from "./not-found.ts";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";

const CALLER = callerWith(createGrant("aaaaaaaaaa"));
const startedBy = { grant: "aaaaaaaaaa", label: "" };

function service(more: Partial<AgentPool>): AgentTerminals {
  const pool: AgentPool = {
    running: () => [],
    get: () => poolTerminal(),
    promote: () => {},
    close: () => Promise.resolve(),
    fetch: () => Promise.reject(new Unavailable("no such terminal")),
    watch: () => () => {},
    ...more,
  };
  const screens = { view: () => Promise.reject(new Unavailable("no such screen")) };
  const run = () => Promise.resolve({ ok: false, error: "nobody spawns here" } as const);
  return new AgentTerminals({ pool, screens, pipeline: { run }, findProgram: () => "" });
}

const never = new AbortController().signal;

test("S21 S46 a terminal that is gone is not found; a fault of ours is a fault", async () => {
  const gone = service({});
  expect(await gone.read(CALLER, "pty-1", {}, never)).toEqual({ ok: false, error: NOT_FOUND });
  const broken = service({ fetch: () => Promise.reject(new TypeError("a bug of ours")) });
  await expect(broken.read(CALLER, "pty-1", {}, never)).rejects.toThrow("a bug of ours");
  const waitFor = { pattern: "x" };
  await expect(broken.read(CALLER, "pty-1", { waitFor }, never)).rejects.toThrow("a bug of ours");
});

/** The methods that take a terminal's id; the compiler names a new one. */
type MethodWithId = {
  [Name in keyof AgentTerminals]: Parameters<AgentTerminals[Name]> extends [
    Caller,
    string,
    ...unknown[],
  ]
    ? Name
    : never;
}[keyof AgentTerminals];

const GONE = { ok: false, error: NOT_FOUND };
const METHODS: Readonly<
  Record<
    MethodWithId,
    {
      readonly call: (agents: AgentTerminals, caller: Caller, id: string) => unknown;
      readonly answer: (id: string) => unknown;
    }
  >
> = {
  exists: { call: (agents, ...of) => agents.exists(...of), answer: () => false },
  read: { call: (agents, ...of) => agents.read(...of, {}, never), answer: () => GONE },
  readScreen: { call: (agents, ...of) => agents.readScreen(...of), answer: () => GONE },
  promote: { call: (agents, ...of) => agents.promote(...of), answer: () => GONE },
  kill: {
    call: (agents, ...of) => agents.kill(...of),
    answer: (id) => ({ ok: true, value: { terminated: true, id } }),
  },
};

test.each(Object.entries(METHODS))(
  "U1 U6 `%s` finds no private terminal, and none for a grant that is gone",
  async (_name, { call, answer }) => {
    const own = { cwd: "/", owner: "agent", visible: false, createdAt: 0, startedBy } as const;
    const done: string[] = [];
    const lookAt = async (caller: Caller, isPrivate: boolean) => {
      const terminal = poolTerminal({ meta: { ...own, private: isPrivate } });
      const agents = service({
        get: () => terminal,
        running: () => [terminal],
        promote: () => void done.push("promoted"),
        close: async () => void done.push("closed"),
        fetch: async (_terminal, _from, _most, accept) =>
          accept({ offset: 0, bytes: Buffer.from("secret") }),
      });
      expect(await call(agents, caller, terminal.id)).toEqual(answer(terminal.id));
      expect(agents.list(caller)).toEqual([]);
    };
    await lookAt(CALLER, true);
    const revoked = callerWith(createGrant("aaaaaaaaaa"));
    revoked.revoke();
    await lookAt(revoked, false);
    expect(done).toEqual([]);
  },
);

test("U1 a caller whose grant is gone sees nothing, also one that waited meanwhile", async () => {
  const terminal = poolTerminal();
  let look = () => {};
  const agents = service({
    get: () => terminal,
    running: () => [terminal],
    watch: (_terminal, listener) => {
      look = listener;
      return () => {};
    },
    fetch: async (_terminal, _from, _most, accept) =>
      accept({ offset: 0, bytes: Buffer.from("secret") }),
  });
  const caller = callerWith(createGrant("aaaaaaaaaa"));
  const waiting = agents.read(caller, terminal.id, { waitFor: { exit: true } }, never);
  caller.revoke();
  terminal.life = { state: "finished", exit: { exitCode: 0, signal: null }, end: 6, at: 0 };
  look();
  expect(await waiting).toEqual({ ok: false, error: NOT_FOUND });
  expect(agents.list(caller)).toEqual([]);
});

test("S25 promoted terminals have a bound of their own, which names what to do", () => {
  const background = { cwd: "/", owner: "agent", visible: false, createdAt: 0, startedBy } as const;
  const terminal = poolTerminal({ meta: background });
  const promoted = { ...background, owner: "user", visible: true } as const;
  const running = Array.from({ length: 10 }, () => poolTerminal({ meta: promoted }));
  const kept: string[] = [];
  const agents = service({
    get: () => terminal,
    running: () => [...running, poolTerminal(), terminal],
    promote: ({ id }) => void kept.push(id),
  });
  expect(agents.promote(CALLER, terminal.id)).toEqual({
    ok: false,
    error: "Maximum promoted terminals reached (10): ask the user to close one of them",
  });
  running.pop();
  expect(agents.promote(CALLER, terminal.id)).toMatchObject({ ok: true });
  expect(kept).toEqual([terminal.id]);
});

test("M21 agents get `command` for terminals that agents spawned, promoted or not, and for no others", () => {
  const command = ["npm", "run", "dev"];
  const users = { cwd: "/", owner: "user", visible: true, createdAt: 0, command } as const;
  const terminals = [
    poolTerminal({ meta: users }),
    poolTerminal({ meta: { ...users, lane: "user" } }),
    poolTerminal({ meta: { ...users, startedBy, lane: "background" } }),
    poolTerminal({ meta: { ...users, startedBy, owner: "agent", visible: false } }),
  ];
  const listed = service({ running: () => terminals }).list(CALLER);
  expect(listed.map((one) => one.command)).toEqual([undefined, undefined, command, command]);
});

test("S8 S35 a read without options is the whole history buffer, a wait's is shorter", async () => {
  const line = "one line of the history\r\n";
  const bytes = Buffer.from(line.repeat(10_000));
  const agents = service({
    fetch: async (_terminal, _from, _most, accept) => accept({ offset: 0, bytes }),
  });
  const read = async (request: Parameters<typeof agents.read>[2]) => {
    const outcome = await agents.read(CALLER, "pty-1", request, never);
    if (!outcome.ok) throw new Error(outcome.error);
    return outcome.value;
  };
  const whole = await read({});
  const lines = Math.floor(65_536 / line.length);
  expect(whole.text).toBe("one line of the history\n".repeat(lines));
  expect(whole).toMatchObject({ truncated: true, offset: bytes.length - lines * line.length });
  const waited = await read({ waitFor: { pattern: "history" } });
  expect(waited.next - waited.offset).toBeLessThanOrEqual(30_000);
});

test("Y114 a search in a history whose beginning is not kept says from where it searched", async () => {
  let offset = 70_000;
  const agents = service({
    fetch: async (_terminal, _from, _most, accept) =>
      accept({ offset, bytes: Buffer.from("half a line\none\ntwo\n") }),
  });
  const search = async () => {
    const outcome = await agents.read(CALLER, "pty-1", { match: "/^gone$/" }, never);
    return outcome.ok ? outcome.value.matches : outcome.error;
  };
  expect(await search()).toEqual({ matches: 0, shown: 0, searchedFrom: 70_012 });
  offset = 0;
  expect(await search()).toEqual({ matches: 0, shown: 0 });
});
