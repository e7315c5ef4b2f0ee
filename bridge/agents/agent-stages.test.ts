// How the stages apply a grant's terms, without a pty host.

import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { compact } from "../../protocol/compact.ts";
import type { Isolation } from "../../protocol/isolation.ts";
import { planSpawn } from "../terminals/spawn-plan.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import { withPlainPagers } from "./environment.ts";
import { agentStages } from "./agent-stages.ts";

const defaults = { folder: tmpdir(), shell: "/bin/sh", environment: { PATH: "/usr/bin:/bin" } };
const reasons: string[] = [];
const running: PoolTerminal[] = [];
let settings = "none" as Isolation;
const stages = agentStages({
  pool: {
    plan: (spawnRequest) => planSpawn(spawnRequest, defaults),
    start: () => Promise.reject(new Error("nothing starts here")),
    running: () => running,
    get: () => undefined,
    close: () => Promise.resolve(),
  },
  roots: [tmpdir()],
  judge: () => ({ verdict: "safe", level: "safe", why: [] }),
  environment: defaults.environment,
  audit: { write: () => {} },
  approvals: {
    request: ({ judgement }) => {
      reasons.push(...judgement.why);
      return Promise.resolve({ ok: true });
    },
  },
  inSandbox: "run",
  policyVersion: "1",
  sandboxes: {
    get floor() {
      return settings;
    },
    findProblem: (level) => (level === "container" ? "no container here" : undefined),
    isolate: (plan) => Promise.resolve({ ok: true, plan }),
    hold: () => () => {},
    listNotes: (level) => Promise.resolve([`limits.cpu is not enforced at ${level}`]),
  },
});

test("C34 I1 I71 the level is the highest of grant, setting and call: a call may ask for more, never for less", () => {
  const planned = (floor: Isolation | undefined, asked: Isolation | undefined) => {
    const grant = {
      ...createGrant("aaaaaaaaaa"),
      ...compact({ isolation: floor }),
    };
    const spawnRequest = {
      command: ["true"],
      lane: "command",
      lifetime: "held",
      isolation: asked,
    } as const;
    const result = stages.plan(grant, spawnRequest);
    return result.ok ? result.plan.isolation : result.error;
  };
  expect(planned(undefined, undefined)).toBe("none");
  expect(planned("sandbox", "none")).toBe("sandbox");
  expect(planned("none", "sandbox")).toBe("sandbox");
  expect(planned(undefined, "sandbox")).toBe("sandbox");
  settings = "sandbox";
  expect(planned("none", "none")).toBe("sandbox");
  expect(planned(undefined, undefined)).toBe("sandbox");
  // No person is asked, and no weaker isolation is used instead.
  expect(planned("sandbox", "container")).toBe("no container here");
  expect(planned("container", "sandbox")).toBe("no container here");
});

test("I16 whoever is asked about a command reads what is not enforced at its level", async () => {
  settings = "none";
  const grant = createGrant("aaaaaaaaaa");
  const spawnRequest = { command: ["true"], lane: "command", lifetime: "held" } as const;
  const planned = stages.plan(grant, spawnRequest);
  if (!planned.ok) throw new Error(planned.error);
  const judgement = { verdict: "unknown", why: ["not known"] } as const;
  const asking = { via: "bash", note: "typed later" };
  await stages.approve({
    caller: callerWith(grant),
    context: asking,
    plan: planned.plan,
    judgement,
    digest: "d",
  });
  expect(reasons).toEqual(["not known", "typed later", "limits.cpu is not enforced at none"]);
});

test("S2 max 5 agent terminals simultaneously: promoted ones are the user's and do not count", () => {
  const common = { cwd: "/", createdAt: 0, startedBy: { grant: "aaaaaaaaaa", label: "" } };
  const agents = { ...common, owner: "agent", visible: false, lane: "background" } as const;
  const promoted = { ...common, owner: "user", visible: true, lane: "background" } as const;
  const metas = [...Array.from({ length: 4 }, () => agents), promoted, promoted];
  running.splice(0, running.length, ...metas.map((meta) => poolTerminal({ meta })));
  expect(stages.slots.whyFull("background")).toBeUndefined();
  running.push(poolTerminal({ meta: { ...agents, lane: "session" } }));
  const full = { ok: false, error: "Maximum concurrent agent terminals reached (5)" };
  expect(stages.slots.whyFull("background")).toMatchObject(full);
  expect(stages.slots.whyFull("session")).toMatchObject(full);
  running.splice(0);
});

test("Y36 a start that no person approved gets pagers that run nothing; an approved one keeps its own", () => {
  settings = "none";
  const spawnRequest = { command: ["true"], lane: "session", lifetime: "held" } as const;
  const planned = stages.plan(createGrant("aaaaaaaaaa"), spawnRequest);
  if (!planned.ok) throw new Error(planned.error);
  const plan = { ...planned.plan, env: { PAGER: "less", HOME: "/h" } };
  const safe = withPlainPagers({ ...plan, basis: "safe" });
  expect(safe.env).toMatchObject({ HOME: "/h", PAGER: "cat", GIT_PAGER: "cat", MANPAGER: "cat" });
  expect(withPlainPagers({ ...plan, basis: "approved" }).env).toEqual(plan.env);
  expect(withPlainPagers(plan).env).toEqual(plan.env);
  const inside = { ...plan, basis: "safe", isolation: "sandbox" } as const;
  expect(withPlainPagers(inside).env).toEqual(plan.env);
});
