import { expect, test } from "vitest";
import { peopleText } from "./people.ts";

test("PE6 the list shows who was limited to watching, and the command that lifts it", () => {
  const ana = {
    id: "a1b2c3d4",
    label: "edit link",
    role: "edit",
    state: "here",
    since: 0,
  } as const;
  expect(peopleText([ana], [], 5_000)).not.toContain("limited");
  const limited = { ...ana, role: "view", limited: true } as const;
  const [, row, , hint] = peopleText([limited], [], 5_000).split("\n");
  expect(row).toContain("view (limited)");
  expect(hint).toBe("`pairpty people a1b2c3d4 --edit` lets the first limited person type again.");
});
