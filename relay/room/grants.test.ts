import { expect, test } from "vitest";
import type { AnnouncedGrant } from "../../protocol/grant.ts";
import { GrantList } from "./grants.ts";
import type { EndedGrant } from "./records.ts";

const hash = "0f".repeat(32);

test("G24 what a relay of the version before stored is read by its role, and stored so that it can read it too", () => {
  const stored = [
    { id: "Zq3fK0aB1c", role: "edit", scopes: [], label: "", hash, expiresAt: null },
    { id: "Zq3fK0aB3c", role: "agent", scopes: ["read"], label: "", hash, expiresAt: null },
  ];
  const records: { grants: readonly AnnouncedGrant[]; endedGrants: readonly EndedGrant[] } = {
    grants: stored,
    endedGrants: [],
  };
  const list = new GrantList(records);
  expect(list.all).toMatchObject([{ doors: ["people", "http"] }, { doors: ["http"] }]);
  expect([list.canType("Zq3fK0aB1c"), list.canType("Zq3fK0aB3c")]).toEqual([true, false]);
  expect(list.settle(0, true)).toBe(true);
  expect(records.grants).toMatchObject([{ role: "edit", speaks: true }, { role: "agent" }]);
});
