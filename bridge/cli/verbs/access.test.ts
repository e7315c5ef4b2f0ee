import { expect, test } from "vitest";
import type { GrantRow } from "../../doors/control/requests.ts";
import { grantsText } from "./access.ts";

test("C34 the list of grants has a column of terms where there are any, and none of it is empty", () => {
  const row: GrantRow = {
    id: "a",
    role: "view",
    label: "Ada",
    scopes: [],
    expiresAt: null,
    session: false,
  };
  expect(grantsText([row]).split("\n")).toEqual([
    "ID  ROLE  UNTIL          LABEL",
    "a   view  pairpty stops  Ada",
  ]);
  expect(grantsText([row, { ...row, id: "b", knock: true }]).split("\n")).toEqual([
    "ID  ROLE  UNTIL          LABEL  TERMS",
    "a   view  pairpty stops  Ada    default",
    "b   view  pairpty stops  Ada    knocks",
  ]);
});
