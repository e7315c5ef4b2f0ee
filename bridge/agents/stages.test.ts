// What the stages make of a grant's terms, without a pty host.

import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import type { Isolation } from "../../protocol/isolation.ts";
import { planSpawn } from "../terminals/plan.ts";
import { grantOf } from "../../test/support/caller.ts";
import { agentStages } from "./stages.ts";

const defaults = { folder: tmpdir(), shell: "/bin/sh", environment: { PATH: "/usr/bin:/bin" } };
const stages = agentStages({
  pool: {
    plan: (wish) => planSpawn(wish, defaults),
    start: () => Promise.reject(new Error("nothing starts here")),
    running: () => [],
    get: () => undefined,
    close: () => Promise.resolve(),
  },
  roots: [tmpdir()],
  judge: () => ({ verdict: "safe", level: "safe", why: [] }),
  environment: defaults.environment,
  audit: { write: () => {} },
  approvals: { ask: () => Promise.resolve({ ok: true }) },
  inSandbox: "run",
  policyVersion: "1",
  unwalled: () => {},
});

test("C34 a grant's isolation is a floor: a call may ask for more, never for less", () => {
  const planned = (floor: Isolation | undefined, asked: Isolation | undefined) => {
    const grant = {
      ...grantOf("aaaaaaaaaa"),
      ...(floor === undefined ? {} : { isolation: floor }),
    };
    const wish = {
      command: ["true"],
      lane: "command",
      lifetime: "held",
      isolation: asked,
    } as const;
    const result = stages.plan(grant, wish);
    if (!result.ok) throw new Error(result.error);
    return [result.plan.isolation, stages.isolate(result.plan).ok];
  };
  expect(planned(undefined, undefined)).toEqual(["none", true]);
  expect(planned("sandbox", "none")).toEqual(["sandbox", false]);
  expect(planned("sandbox", "container")).toEqual(["container", false]);
  expect(planned("container", "sandbox")).toEqual(["container", false]);
  expect(planned(undefined, "sandbox")).toEqual(["sandbox", false]);
});
