// What follows from a verdict: the whole table, by lane, isolation and grant.

import { expect, test } from "vitest";
import type { ConsequenceContext, Consequence } from "./verdicts.ts";
import { decideConsequence } from "./verdicts.ts";

const VERDICTS = ["safe", "unknown", "dangerous", "blocked"] as const;
const PLAIN = { lane: "command", isolation: "none", terms: {}, inSandbox: "run" } as const;

test.each<[string, Partial<ConsequenceContext>, Consequence[]]>([
  ["background", { lane: "background" }, ["run", "run", "ask", "refuse"]],
  [
    "background, a grant that asks about more",
    { lane: "background", terms: { spawnApproval: "unknown" } },
    ["run", "ask", "ask", "refuse"],
  ],
  [
    "background, behind a wall",
    { lane: "background", isolation: "sandbox", terms: { spawnApproval: "unknown" } },
    ["run", "run", "ask", "refuse"],
  ],
  ["command", {}, ["run", "ask", "ask", "ask"]],
  ["session", { lane: "session" }, ["run", "ask", "ask", "ask"]],
  ["acp", { lane: "acp" }, ["run", "ask", "ask", "ask"]],
  [
    "session, a grant whose background terminals ask little",
    { lane: "session", terms: { spawnApproval: "dangerous" } },
    ["run", "ask", "ask", "ask"],
  ],
  ["command in a sandbox", { isolation: "sandbox" }, ["run", "run", "ask", "ask"]],
  ["command in a container", { isolation: "container" }, ["run", "run", "ask", "ask"]],
  [
    "command in a sandbox, asked all the same",
    { isolation: "sandbox", inSandbox: "ask" },
    ["run", "ask", "ask", "ask"],
  ],
])("Q10 Q74 Q75 %s", (_name, circumstances, consequences) => {
  const found = VERDICTS.map((verdict) =>
    decideConsequence({ verdict, why: [] }, { ...PLAIN, ...circumstances }),
  );
  expect(found).toEqual(consequences);
});
