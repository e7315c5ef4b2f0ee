// The pipeline between modelled stages: nothing starts that was not planned, judged, allowed and
// given a slot, whatever happens meanwhile.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Caller } from "../callers/caller.ts";
import { ISOLATIONS } from "../../protocol/isolation.ts";
import type { Grant } from "../grants/grant-table.ts";
import type { SpawnPlan } from "../terminals/spawn-plan.ts";
import type { AgentSpawnRequest, PipelineStages } from "./pipeline.ts";
import { BLOCKED, blockedOutcome, Pipeline, WITHDRAWN } from "./pipeline.ts";
import { Slots } from "./slots.ts";
import type { Verdict } from "./verdicts.ts";
import { decideConsequence } from "./verdicts.ts";

const GRANT: Grant = {
  id: "aaaaaaaaaa",
  role: "agent",
  scopes: ["spawn"],
  label: "",
  hash: "",
  expiresAt: null,
  session: true,
};

const REQUEST: AgentSpawnRequest = { command: ["ls"], lane: "background", lifetime: "background" };

const ASKING = { via: "a test" };

function createPlan(request: AgentSpawnRequest, cwd: string): SpawnPlan {
  return {
    command: request.command,
    argv: ["/bin/ls"],
    cwd,
    env: {},
    added: {},
    size: { cols: 80, rows: 24 },
    lane: request.lane,
    lifetime: request.lifetime,
    retain: undefined,
    isolation: request.isolation ?? "none",
    startedBy: undefined,
  };
}

interface Play {
  readonly verdict: Verdict;
  readonly allows: boolean;
  /** While a person decides, the folder is replaced, or the grant ends. */
  readonly swaps: boolean;
  readonly revokes: boolean;
  readonly isFull: boolean;
  readonly starts: "yes" | "fails" | "throws";
  readonly lane: AgentSpawnRequest["lane"];
  /** The grant ends during the start. */
  readonly revokesAtStart?: boolean;
  /** The grant ends while the sandbox is prepared. */
  readonly revokesAtIsolation?: boolean;
  /** A standing rule answers instead of a person. */
  readonly isByRule?: true;
}

function world(play: Play) {
  const stages: string[] = [];
  let cwd = "/one";
  let grant: Grant | undefined = GRANT;
  const caller: Caller = {
    door: { name: "http", proof: "ticket", sendAll: () => {} },
    since: 0,
    grantId: GRANT.id,
    grant: () => grant,
    send: () => {},
    close: () => {},
  };
  const slots = new Slots(
    () => (play.isFull ? 99 : 0),
    () => 0,
  );
  const parts: PipelineStages<SpawnPlan> = {
    plan: (_grant, request) => {
      stages.push("plan");
      return { ok: true, plan: createPlan(request, cwd) };
    },
    judge: () => {
      stages.push("judge");
      return { verdict: play.verdict, why: [] };
    },
    approve: async () => {
      stages.push("approve");
      await Promise.resolve();
      if (play.swaps) cwd = "/two";
      if (play.revokes) grant = undefined;
      const { isByRule } = play;
      const allowed = { ok: true, ...(isByRule && { isByRule }) } as const;
      return play.allows ? allowed : { ok: false, error: "denied" };
    },
    isolate: async (plan) => {
      stages.push("isolate");
      await Promise.resolve();
      if (play.revokesAtIsolation === true) grant = undefined;
      return { ok: true, plan };
    },
    start: async (plan) => {
      stages.push(`start ${plan.cwd}`);
      if (play.revokesAtStart === true) grant = undefined;
      if (play.starts === "throws") throw new Error("broken");
      return play.starts === "yes" ? { ok: true, value: plan } : { ok: false, error: "failed" };
    },
    end: () => void stages.push("end"),
    digest: (id, plan) => `${id} ${plan.cwd}`,
    recordJudgement: () => {},
    inSandbox: "run",
    slots: {
      take: (lane) => {
        stages.push("slot");
        return slots.take(lane);
      },
      whyFull: (lane) => slots.whyFull(lane),
      countRefusal: (id) => slots.countRefusal(id),
      tooManyRefusals: (id) => slots.tooManyRefusals(id),
    },
  };
  return { pipeline: new Pipeline(parts), caller, stages, slots };
}

const plays = fc.record<Play>({
  verdict: fc.constantFrom<Verdict>("safe", "unknown", "dangerous", "blocked"),
  allows: fc.boolean(),
  swaps: fc.boolean(),
  revokes: fc.boolean(),
  isFull: fc.boolean(),
  starts: fc.constantFrom("yes", "fails", "throws"),
  lane: fc.constantFrom("background", "session", "command", "acp"),
});

test("J1 whatever the stages say, nothing starts that was not planned, judged, allowed and given a slot", async () => {
  await fc.assert(
    fc.asyncProperty(plays, async (play) => {
      const { pipeline, caller, stages, slots } = world(play);
      const running = pipeline.run(caller, { ...REQUEST, lane: play.lane }, ASKING);
      // An exception reaches the caller, and its slot is given back.
      const outcome = await running.catch(() => ({ ok: false }));
      const consequence = decideConsequence(
        { verdict: play.verdict, why: [] },
        { lane: play.lane, isolation: "none", terms: GRANT, inSandbox: "run" },
      );
      const asked = consequence === "ask" && !play.isFull;
      const goesOn =
        consequence === "run" || (asked && play.allows && !play.swaps && !play.revokes);
      const started = stages.some((stage) => stage.startsWith("start"));
      expect(started).toBe(goesOn && !play.isFull);
      expect(outcome.ok).toBe(started && play.starts === "yes");
      expect(stages.includes("approve")).toBe(asked);
      if (started) {
        const whole = [
          "plan",
          "judge",
          ...(asked ? ["approve", "plan"] : []),
          "isolate",
          "slot",
          "start /one",
        ];
        expect(stages).toEqual(whole);
      }
      // A plan that did not start has given its slot back.
      if (started && play.starts !== "yes") expect(slots.whyFull(play.lane)).toBeUndefined();
    }),
  );
});

test("J2 a plan that changed while it was asked about is withdrawn, and so is one whose grant ended", async () => {
  const asked: Play = {
    verdict: "dangerous",
    allows: true,
    swaps: true,
    revokes: false,
    isFull: false,
    starts: "yes",
    lane: "background",
  };
  const swapped = world(asked);
  expect(await swapped.pipeline.run(swapped.caller, REQUEST, ASKING)).toEqual({
    ok: false,
    error: WITHDRAWN,
  });
  const revoked = world({ ...asked, swaps: false, revokes: true });
  const outcome = await revoked.pipeline.run(revoked.caller, REQUEST, ASKING);
  expect(outcome).toMatchObject({ ok: false, error: expect.stringContaining("revoked") });
});

test("U1 J6 what starts while its grant is revoked is ended, and its caller told that it has none", async () => {
  const play: Play = {
    verdict: "safe",
    allows: true,
    swaps: false,
    revokes: false,
    isFull: false,
    starts: "yes",
    lane: "background",
    revokesAtStart: true,
  };
  const { pipeline, caller, stages } = world(play);
  const outcome = await pipeline.run(caller, REQUEST, ASKING);
  expect(outcome).toMatchObject({ ok: false, error: expect.stringContaining("revoked") });
  expect(stages.slice(-2)).toEqual(["start /one", "end"]);
});

const SAFE: Play = {
  verdict: "safe",
  allows: true,
  swaps: false,
  revokes: false,
  isFull: false,
  starts: "fails",
  lane: "command",
};

test("J2 a grant that ends while the wall is built starts nothing", async () => {
  const { pipeline, caller, stages } = world({ ...SAFE, starts: "yes", revokesAtIsolation: true });
  const outcome = await pipeline.run(caller, REQUEST, ASKING);
  expect(outcome).toMatchObject({ ok: false, error: expect.stringContaining("revoked") });
  expect(stages.at(-1)).toBe("isolate");
});

test("J3 what is about pairpty itself is refused in every lane, and no one is asked", () => {
  for (const lane of ["background", "session", "command", "acp"] as const) {
    for (const isolation of ISOLATIONS) {
      const consequence = decideConsequence(
        { verdict: "blocked", why: [], isAboutUs: true },
        { lane, isolation, terms: GRANT, inSandbox: "run" },
      );
      expect(consequence).toBe("refuse");
    }
  }
});

test("S3 a grant refused too often is refused before anything is planned", async () => {
  const { pipeline, caller, stages } = world({
    verdict: "blocked",
    allows: false,
    swaps: false,
    revokes: false,
    isFull: false,
    starts: "yes",
    lane: "background",
  });
  for (let i = 0; i < 31; i++) {
    expect(await pipeline.run(caller, REQUEST, ASKING)).toMatchObject({
      ok: false,
      error: BLOCKED,
    });
  }
  stages.splice(0);
  expect(await pipeline.run(caller, REQUEST, ASKING)).toMatchObject({
    ok: false,
    retryAfterMs: 60_000,
  });
  expect(stages).toEqual([]);
});

test("J4 fifty at once in each lane are counted one by one; sessions count with the background", async () => {
  const play: Play = {
    verdict: "safe",
    allows: true,
    swaps: false,
    revokes: false,
    isFull: false,
    starts: "yes",
    lane: "background",
  };
  const { pipeline, caller, stages } = world(play);
  const lanes = ["background", "session", "command", "acp"] as const;
  const all = Array.from({ length: 200 }, (_, index) => lanes[index % 4] ?? "background");
  const outcomes = await Promise.all(
    all.map((lane) => pipeline.run(caller, { ...REQUEST, lane }, ASKING)),
  );
  const started = (...of: string[]) =>
    outcomes.filter((outcome, index) => outcome.ok && of.includes(all[index] ?? "")).length;
  expect(started("background", "session")).toBe(3);
  expect(started("command")).toBe(8);
  expect(started("acp")).toBe(16);
  expect(stages.filter((stage) => stage.startsWith("start"))).toHaveLength(27);
});

test("Y116 what starts knows whether a person approved it, or the policy alone called it safe", async () => {
  const play = {
    allows: true,
    swaps: false,
    revokes: false,
    isFull: false,
    starts: "yes",
  } as const;
  const basis = async (more: Pick<Play, "verdict" | "lane" | "isByRule">) => {
    const { pipeline, caller } = world({ ...play, ...more });
    const outcome = await pipeline.run(caller, { ...REQUEST, lane: more.lane }, ASKING);
    return outcome.ok ? outcome.value.basis : outcome.error;
  };
  expect(await basis({ verdict: "safe", lane: "session" })).toBe("safe");
  expect(await basis({ verdict: "unknown", lane: "session" })).toBe("approved");
  expect(await basis({ verdict: "unknown", lane: "session", isByRule: true })).toBeUndefined();
  expect(await basis({ verdict: "unknown", lane: "background" })).toBeUndefined();
});

test("Q106 a blocked command's hint has one reason; the others are a field", () => {
  const why = ["`sudo` runs as another user", "`rm` deletes files"];
  const next = "No approval can allow it: do it another way, or ask the user to do it.";
  expect(blockedOutcome({ verdict: "blocked", why })).toEqual({
    ok: false,
    error: BLOCKED,
    hint: `\`sudo\` runs as another user. ${next}`,
    moreReasons: ["`rm` deletes files"],
  });
  const about = { verdict: "blocked", isAboutUs: true } as const;
  const [itself, folder] = ["runs or changes pairpty itself", "a path into pairpty's folders"];
  const none = "Agents may not run, read or change pairpty itself, and no approval can allow it.";
  expect(blockedOutcome({ ...about, why: [itself] })).toMatchObject({ hint: none });
  expect(blockedOutcome({ ...about, why: [folder] })).toMatchObject({ hint: `${folder}. ${none}` });
  expect(blockedOutcome({ verdict: "blocked", why: [] })).toEqual({
    ok: false,
    error: BLOCKED,
    hint: next,
  });
});
