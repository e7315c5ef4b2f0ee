import { expect, test } from "vitest";
import type { VisitorRow } from "../../doors/control/control-requests.ts";
import { formatPeople, formatRights } from "./people-commands.ts";

test("PE46 the list shows who was limited to watching, and the command that lifts it", () => {
  const ana = {
    id: "a1b2c3d4",
    label: "edit link",
    role: "edit",
    state: "here",
    since: 0,
  } as const;
  const text = (rows: readonly VisitorRow[], code = "") =>
    formatPeople(rows, [], { now: 5_000, code });
  expect(text([ana])).not.toContain("limited");
  const limited = { ...ana, name: "Ana", role: "view", limited: true } as const;
  const [, row, , hint] = text([limited]).split("\n");
  expect(row).toContain("view (limited)");
  expect(hint).toBe("`pairpty people a1b2c3d4 --edit` lets Ana (edit link) type again.");
  expect(text([limited], " --code")).toContain("`pairpty people a1b2c3d4 --edit --code`");
  // Who is not in cannot be let type.
  const waits = text([{ ...limited, state: "waiting" }], " --code");
  expect(waits).not.toContain("type again");
  expect(waits).toContain("`pairpty admit a1b2c3d4 --code` lets in Ana (edit link);");
});

test("PE75 what another browser gets is said: everything, or it waits where the link knocks", () => {
  const open = formatRights("none", { who: "Gus (guest)" }, "Gus");
  expect(open).toContain("Removed Gus (guest); `pairpty admit Gus` lets them back.");
  expect(open).toContain("another browser gets the link's full access");
  for (const role of ["none", "view"] as const) {
    const text = formatRights(role, { who: "Gus (guest)", knocks: true }, "Gus");
    expect(text).toContain("another browser waits with this link until you let it in");
    expect(text).not.toContain("full access");
  }
});
