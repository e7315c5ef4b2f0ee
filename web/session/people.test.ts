import { expect, test } from "vitest";
import { suggestedName } from "./people.ts";

test("PE1 a link that was made for somebody suggests their name; one that was not suggests none", () => {
  const named = (label: string, own?: true) => suggestedName({ label, ...(own && { own }) });
  expect(["Ben", "Ana  Li", "x".repeat(50)].map((label) => named(label))).toEqual([
    "Ben",
    "Ana Li",
    "x".repeat(40),
  ]);
  const nobodys = ["edit link", "view link", "shared 12:30", "made by Ben", "Ben: this browser"];
  expect(nobodys.map((label) => named(label))).toEqual(["", "", "", "", ""]);
  expect(named("the host", true)).toBe("");
});
