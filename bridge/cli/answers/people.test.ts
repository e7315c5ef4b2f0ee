import { expect, test } from "vitest";
import { decided } from "./people.ts";

test("PE44 what was refused says what would help: another link, or a look at the list", () => {
  const hintOf = (code: "forbidden" | "not_found") => {
    try {
      return decided({ ok: false, code, error: "no" });
    } catch (error) {
      return error;
    }
  };
  expect(hintOf("forbidden")).toMatchObject({
    message: "no",
    exitCode: 2,
    hint: "`pairpty share --role edit` makes an Edit link.",
  });
  expect(hintOf("not_found")).toMatchObject({
    hint: "`pairpty people` lists who is here and who waits.",
  });
});
