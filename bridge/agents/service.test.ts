// The agents' service over terminals that fail as the test wants.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Grant } from "../grants/table.ts";
import type { SpawnResult } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { Unavailable } from "../terminals/unavailable.ts";
import { AuditLog } from "./audit.ts";
import type { AgentPool } from "./service.ts";
import { AgentTerminals, NOT_FOUND } from "./service.ts";

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "pp-service-")));
});
afterEach(() => rmSync(folder, { recursive: true }));

const GRANT: Grant = {
  id: "aaaaaaaaaa",
  role: "agent",
  scopes: ["read", "spawn"],
  label: "",
  hash: "0".repeat(64),
  expiresAt: null,
  session: true,
};

const TERMINAL: PoolTerminal = {
  id: "pty-1",
  handle: 1,
  epoch: 1,
  pid: 1,
  meta: { cwd: "/", owner: "user", visible: true, createdAt: 0 },
  title: "",
  cols: 80,
  rows: 24,
  life: { state: "running" },
  finished: new Promise(() => {}),
  finish: () => {},
  announced: false,
  end: 0,
  queries: [],
};

function service(more: Partial<AgentPool>): AgentTerminals {
  const pool: AgentPool = {
    list: () => [],
    running: () => [],
    get: () => TERMINAL,
    spawn: () => Promise.reject(new Unavailable("nobody spawns here")),
    promote: () => {},
    close: () => Promise.resolve(),
    fetch: () => Promise.reject(new Unavailable("no such terminal")),
    watch: () => () => {},
    ...more,
  };
  const audit = new AuditLog(join(folder, "audit.log"), () => {});
  const judge = () => ({ verdict: "safe", why: [] }) as const;
  return new AgentTerminals({ pool, roots: [folder], judge, environment: {}, audit });
}

const never = new AbortController().signal;

test("S21 a terminal that is gone is not found; a fault of ours is a fault", async () => {
  const gone = service({});
  expect(await gone.read("pty-1", {}, never)).toEqual({ ok: false, error: NOT_FOUND });
  const broken = service({ fetch: () => Promise.reject(new TypeError("a bug of ours")) });
  await expect(broken.read("pty-1", {}, never)).rejects.toThrow("a bug of ours");
  const waitFor = { pattern: "x" };
  await expect(broken.read("pty-1", { waitFor }, never)).rejects.toThrow("a bug of ours");
});

test("S21 a spawn that breaks off counts for nothing, and the next one is tried", async () => {
  let asked = 0;
  const agents = service({
    spawn: (): Promise<SpawnResult> => {
      asked++;
      return Promise.reject(new TypeError("a bug of ours"));
    },
  });
  for (let attempt = 0; attempt < 6; attempt++) {
    const wish = { cwd: folder, command: ["ls"], requestKey: "same" };
    await expect(agents.spawn(GRANT, wish)).rejects.toThrow("a bug of ours");
  }
  expect(asked).toBe(6);
});
