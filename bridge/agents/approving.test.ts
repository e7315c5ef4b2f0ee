// The pipeline with real stages, files and approvals: an allow for one plan never lets another run,
// whatever an agent changes on disk between the approval and the start.

import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, statSync } from "node:fs";
import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ApprovalWord } from "../../protocol/approval.ts";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { attendedDesk } from "../../test/support/desk.ts";
import { Pipeline } from "../pipeline/pipeline.ts";
import type { SpawnPlan } from "../terminals/spawn-plan.ts";
import { planSpawn } from "../terminals/spawn-plan.ts";
import { agentStages } from "./agent-stages.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] }));
afterEach(() => void vi.useRealTimers());

const PERSON = { label: "a person", door: "people" };
const AGENT = createGrant("aaaaaaaaaa");

function world() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pp-approving-")));
  const at = (name: string) => join(folder, name);
  for (const name of ["one", "two"]) {
    mkdirSync(at(name));
    writeFileSync(at(`${name}.sh`), "#!/bin/sh\n");
    chmodSync(at(`${name}.sh`), 0o755);
  }
  symlinkSync(at("one.sh"), at("link"));
  const { approvals } = attendedDesk();
  const started: string[] = [];
  /** Runs while the sandbox is prepared. */
  const building = { act: () => {} };
  const defaults = { folder, shell: "/bin/sh", environment: { PATH: "/usr/bin:/bin" } };
  const stages = agentStages({
    pool: {
      plan: (request) => planSpawn(request, defaults),
      start: async (plan) => {
        started.push(identity(plan));
        return { ok: false, code: "spawn_failed", error: "nothing runs here" };
      },
      running: () => [],
      get: () => undefined,
      close: () => Promise.resolve(),
    },
    roots: [folder],
    judge: ({ command = [] }) => ({
      verdict: command.includes("-f") ? "dangerous" : "unknown",
      why: ["x"],
    }),
    environment: defaults.environment,
    audit: { write: () => {} },
    approvals,
    inSandbox: "run",
    policyVersion: "1",
    sandboxes: {
      floor: "none",
      findProblem: () => undefined,
      isolate: async (plan) => {
        await Promise.resolve();
        building.act();
        return { ok: true, plan };
      },
      hold: () => () => {},
      listNotes: () => Promise.resolve([]),
    },
  });
  let swaps = 0;
  return {
    folder,
    at,
    approvals,
    building,
    started,
    pipeline: new Pipeline(stages),
    swapProgram: () => {
      rmSync(at("link"));
      symlinkSync(at(++swaps % 2 === 0 ? "one.sh" : "two.sh"), at("link"));
    },
    swapFolder: () => {
      renameSync(at("one"), at(`away ${++swaps}`));
      mkdirSync(at("one"));
    },
    removeFolder: () => rmSync(at("one"), { recursive: true }),
    end: () => {
      approvals.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Returns everything that a person's allow covers, as it is on disk now. */
function identity({ argv, cwd, added }: Pick<SpawnPlan, "argv" | "cwd" | "added">): string {
  const { dev, ino } = statSync(cwd);
  return JSON.stringify([argv, realpathSync(argv[0]), cwd, dev, ino, added]);
}

type World = ReturnType<typeof world>;

const WISHES = [
  { command: ["link", "x"], folder: "one", env: {} },
  { command: ["link", "x"], folder: "one", env: { A: "1" } },
  { command: ["link", "x"], folder: "two", env: {} },
  { command: ["link", "y"], folder: "one", env: {} },
  { command: ["ls", "x"], folder: "one", env: {} },
  { command: ["ls", "x", "z"], folder: "one", env: {} },
  { command: ["ls", "x", "-f"], folder: "one", env: {} },
  { command: ["cat", "x"], folder: "one", env: {} },
];

const acts = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ call: fc.nat({ max: WISHES.length - 1 }) }) },
    { weight: 1, arbitrary: fc.record({ swap: fc.constantFrom("program", "folder") }) },
    {
      weight: 4,
      arbitrary: fc.record({
        answer: fc.constantFrom<ApprovalWord>("once", "once", "session", "prefix", "deny"),
        nth: fc.nat({ max: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ wait: fc.constantFrom(1_000, 30_000, 700_000) }) },
  ),
  { maxLength: 30, size: "max" },
);

function toRequest({ at }: World, index: number) {
  const { command: [name = "", ...args] = [], folder, env } = WISHES[index] ?? {};
  const command = [name === "link" ? at("link") : name, ...args];
  return { command, cwd: at(folder ?? ""), env: { ...env }, lane: "command" } as const;
}

test("Q15 whatever is swapped between the question and the start, only what was allowed runs", async () => {
  let ran = 0;
  await fc.assert(
    fc.asyncProperty(acts, async (script) => {
      const place = world();
      try {
        await play(place, script);
      } finally {
        ran += place.started.length;
        place.end();
      }
      expect(vi.getTimerCount()).toBe(0);
    }),
    { numRuns: 100 },
  );
  // Otherwise the test would prove nothing.
  expect(ran).toBeGreaterThan(100);
});

async function play(place: World, script: readonly object[]): Promise<void> {
  const { approvals, pipeline, started } = place;
  /** By approval: what a person saw, and whether it may run once or more often. */
  const seen = new Map<string, { identity: string; command: readonly string[]; cwd: string }>();
  const once: string[] = [];
  const always: ((identity: string) => boolean)[] = [];
  let current = "";
  approvals.onEvent((event) => {
    if (event.type !== "approval:requested") return;
    const { id, command, cwd } = event.approval;
    seen.set(id, { identity: current, command: [command].flat(), cwd });
  });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  let counted = 0;
  for (const act of script) {
    if ("call" in act && typeof act.call === "number") {
      const request = toRequest(place, act.call);
      const [name = "", ...args] = request.command;
      const program = name.startsWith("/") ? name : `/usr/bin/${name}`;
      current = identity({ argv: [program, ...args], cwd: request.cwd, added: request.env });
      const asking = { via: "bash" };
      void pipeline.run(callerWith(AGENT), { ...request, lifetime: "held" }, asking);
    }
    if ("swap" in act) {
      if (act.swap === "program") place.swapProgram();
      else place.swapFolder();
    }
    if ("answer" in act && "nth" in act) answer(act.answer as ApprovalWord, Number(act.nth));
    if ("wait" in act) vi.advanceTimersByTime(Number(act.wait));
    await settle();
    for (const toIdentity of started.slice(counted)) {
      const isLasting = always.some((lets) => lets(toIdentity));
      expect(isLasting || once.includes(toIdentity), `${toIdentity} was not allowed`).toBe(true);
    }
    counted = started.length;
  }

  function answer(word: ApprovalWord, nth: number): void {
    const open = approvals.listOpen();
    const question = open[nth % Math.max(1, open.length)];
    const was = question === undefined ? undefined : seen.get(question.id);
    if (question === undefined || was === undefined) return;
    if (!approvals.answer(question.id, word, PERSON).ok || word === "deny") return;
    if (word === "once") once.push(was.identity);
    if (word === "session") always.push((given) => given === was.identity);
    if (word === "prefix") {
      once.push(was.identity);
      const [name = "", verb = ""] = was.command;
      always.push(
        (given) => given.startsWith(`[["/usr/bin/${name}","${verb}"`) && !given.includes('"-f"'),
      );
    }
  }
}

test("Q15 a program swapped by a link, and a folder by another, is withdrawn after the yes", async () => {
  for (const swap of ["swapProgram", "swapFolder"] as const) {
    const place = world();
    const request = { ...toRequest(place, 0), lifetime: "held" } as const;
    const running = place.pipeline.run(callerWith(AGENT), request, { via: "bash" });
    await Promise.resolve();
    place[swap]();
    const [question] = place.approvals.listOpen();
    place.approvals.answer(question?.id ?? "", "once", PERSON);
    expect(await running).toMatchObject({ ok: false, error: expect.stringContaining("changed") });
    expect(place.started).toEqual([]);
    place.end();
  }
});

test("Q83 what is swapped, or goes, while its wall is built does not run either", async () => {
  for (const swap of ["swapProgram", "swapFolder", "removeFolder"] as const) {
    const place = world();
    const request = { ...toRequest(place, 0), lifetime: "held" } as const;
    const running = place.pipeline.run(callerWith(AGENT), request, { via: "bash" });
    await Promise.resolve();
    place.building.act = () => place[swap]();
    const [question] = place.approvals.listOpen();
    place.approvals.answer(question?.id ?? "", "once", PERSON);
    expect(await running).toMatchObject({ ok: false, error: expect.stringContaining("changed") });
    expect(place.started).toEqual([]);
    place.end();
  }
});
