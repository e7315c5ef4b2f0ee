import { expect, test } from "vitest";
import type { GrantTold } from "../../protocol/grant.ts";
import { GrantList } from "./grants.ts";
import type { GoneGrant } from "./records.ts";

const hash = "0f".repeat(32);

test("G24 what a relay of the version before stored is read by its role, and stored so that it can read it too", () => {
  const stored = [
    { id: "Zq3fK0aB1c", role: "edit", scopes: [], label: "", hash, expiresAt: null },
    { id: "Zq3fK0aB3c", role: "agent", scopes: ["read"], label: "", hash, expiresAt: null },
  ];
  const records: { grants: readonly GrantTold[]; gone: readonly GoneGrant[] } = {
    grants: stored,
    gone: [],
  };
  const list = new GrantList(records);
  expect(list.all).toMatchObject([{ doors: ["people", "http"] }, { doors: ["http"] }]);
  expect([list.speaks("Zq3fK0aB1c"), list.speaks("Zq3fK0aB3c")]).toEqual([true, false]);
  expect(list.settle(0, true)).toBe(true);
  expect(records.grants).toMatchObject([{ role: "edit", speaks: true }, { role: "agent" }]);
});
