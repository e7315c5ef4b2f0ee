// The agents' service over terminals that fail as the test wants.

import { expect, test } from "vitest";
import { Unavailable } from "../terminals/unavailable.ts";
import type { AgentPool } from "./service.ts";
import { AgentTerminals, NOT_FOUND } from "./service.ts";
import { callerWith, grantOf } from "../../test/support/caller.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";

const CALLER = callerWith(grantOf("aaaaaaaaaa"));

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
  return new AgentTerminals({ pool, screens, pipeline: { run }, programIn: () => "" });
}

const never = new AbortController().signal;

test("S21 a terminal that is gone is not found; a fault of ours is a fault", async () => {
  const gone = service({});
  expect(await gone.read(CALLER, "pty-1", {}, never)).toEqual({ ok: false, error: NOT_FOUND });
  const broken = service({ fetch: () => Promise.reject(new TypeError("a bug of ours")) });
  await expect(broken.read(CALLER, "pty-1", {}, never)).rejects.toThrow("a bug of ours");
  const waitFor = { pattern: "x" };
  await expect(broken.read(CALLER, "pty-1", { waitFor }, never)).rejects.toThrow("a bug of ours");
});

test("U6 a private terminal is not there for agents: not listed, read, shown, promoted or killed", async () => {
  const terminal = poolTerminal();
  terminal.meta = { ...terminal.meta, private: true };
  const agents = service({ get: () => terminal, running: () => [terminal] });
  const { id } = terminal;
  expect(agents.list(CALLER)).toEqual([]);
  expect(agents.isThere(CALLER, id)).toBe(false);
  const gone = { ok: false, error: NOT_FOUND };
  expect(await agents.read(CALLER, id, {}, never)).toEqual(gone);
  expect(await agents.screen(CALLER, id)).toEqual(gone);
  expect(agents.promote(CALLER, id)).toEqual(gone);
  expect(await agents.kill(CALLER, id)).toEqual({ ok: true, value: { terminated: true, id } });
});

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
  const caller = callerWith(grantOf("aaaaaaaaaa"));
  const waiting = agents.read(caller, terminal.id, { waitFor: { exit: true } }, never);
  caller.revoke();
  terminal.life = { state: "finished", exit: { exitCode: 0, signal: null }, end: 6, at: 0 };
  look();
  expect(await waiting).toEqual({ ok: false, error: NOT_FOUND });
  expect(agents.list(caller)).toEqual([]);
});
