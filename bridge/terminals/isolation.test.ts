import { expect, test } from "vitest";
import { ISOLATIONS } from "../../protocol/isolation.ts";
import type { SpawnPlan } from "./spawn-plan.ts";
import { planSpawn } from "./spawn-plan.ts";
import { describeTerminal, toPoolTerminal, toMeta } from "./terminal.ts";

const defaults = { folder: "/", shell: "/bin/sh", environment: { PATH: "/usr/bin:/bin" } };

function planned(isolation: SpawnPlan["isolation"], command?: string[]) {
  const request = { command, isolation, lane: "background", lifetime: "background" } as const;
  return planSpawn(request, defaults);
}

/** Returns the terminal as the next bridge finds it. */
function found(plan: SpawnPlan) {
  const meta = { ...toMeta(plan, 1) };
  const state = { id: "pty-aaaaaa", pid: 1, epoch: 1, cols: 80, rows: 24, first: 0, end: 0 };
  return toPoolTerminal({ ...state, handle: 1, exit: null, meta }, 2);
}

test("I3 a terminal's level is kept with it and told, promoted or not", () => {
  const results = ISOLATIONS.map((level) => {
    const plan = planned(level, ["/bin/sh"]);
    if (!plan.ok) throw new Error(plan.error);
    const terminal = found(plan.plan);
    const promoted = { ...terminal, meta: { ...terminal.meta, owner: "user" as const } };
    return [describeTerminal(terminal).isolation, describeTerminal(promoted).isolation];
  });
  expect(results).toEqual([
    [undefined, undefined],
    ["sandbox", "sandbox"],
    ["container", "container"],
  ]);
});

test("I13 a program of a container is looked for inside, and what it is called is kept", () => {
  expect(planned("sandbox", ["no-such-program"])).toMatchObject({ ok: false });
  expect(planned("container", ["no-such-program", "x"])).toMatchObject({
    plan: { argv: ["no-such-program", "x"] },
  });
  expect(planned("container")).toMatchObject({ plan: { argv: ["/bin/sh"] } });
  expect(planned("container", [""])).toMatchObject({ ok: false });
  const plan = planned("container", ["x"]);
  if (!plan.ok) throw new Error(plan.error);
  expect(found({ ...plan.plan, container: "pairpty-x" }).meta.container).toBe("pairpty-x");
});
