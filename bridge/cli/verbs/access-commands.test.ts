import { expect, test } from "vitest";
import type { GrantRow } from "../../doors/control/control-requests.ts";
import { formatGrants } from "./access-commands.ts";

test("G3 a link from before a restart is listed with the one that replaced it", () => {
  const row: GrantRow = {
    id: "new",
    role: "edit",
    label: "",
    scopes: [],
    expiresAt: null,
    session: true,
    sealed: false,
  };
  const rows = [
    { ...row, id: "first", replacedBy: "second" },
    { ...row, id: "second", replacedBy: "new" },
    { ...row, id: "gone", replacedBy: "revoked" },
    row,
  ];
  expect(formatGrants(rows).split("\n")).toEqual([
    "ID    ROLE  UNTIL          LABEL  TERMS",
    "gone  edit  pairpty stops         default",
    "new   edit  pairpty stops         also 2 from before a restart",
  ]);
});

test("C92 the list of grants has a column of terms where there are any, and none of it is empty", () => {
  const row: GrantRow = {
    id: "a",
    role: "view",
    label: "Ada",
    scopes: [],
    expiresAt: null,
    session: false,
    sealed: false,
  };
  expect(formatGrants([row]).split("\n")).toEqual([
    "ID  ROLE  UNTIL          LABEL",
    "a   view  pairpty stops  Ada",
  ]);
  expect(formatGrants([row, { ...row, id: "b", knock: true }]).split("\n")).toEqual([
    "ID  ROLE  UNTIL          LABEL  TERMS",
    "a   view  pairpty stops  Ada    default",
    "b   view  pairpty stops  Ada    waits for admission",
  ]);
});

test("SE62 the list of grants marks what the relay can read", () => {
  const row: GrantRow = {
    id: "a",
    role: "view",
    label: "Ada",
    scopes: [],
    expiresAt: null,
    session: false,
    sealed: true,
  };
  const plain = { ...row, id: "b", sealed: false, readable: true } as const;
  const agent = { ...plain, id: "c", role: "agent", scopes: ["read"] } as const;
  expect(formatGrants([row, plain, { ...agent, scopes: ["read"] }]).split("\n")).toEqual([
    "ID  ROLE   UNTIL          LABEL  TERMS",
    "a   view   pairpty stops  Ada    default",
    "b   view   pairpty stops  Ada    readable by the relay",
    "c   agent  pairpty stops  Ada    scopes read; readable by the relay",
  ]);
});
