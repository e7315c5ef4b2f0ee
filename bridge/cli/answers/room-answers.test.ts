import { expect, test } from "vitest";
import { unwrapDecision } from "./room-answers.ts";

test("PE44 what was refused says what would help: another link, or a look at the list", () => {
  const getHint = (code: "forbidden" | "not_found") => {
    try {
      return unwrapDecision({ ok: false, code, error: "no" });
    } catch (error) {
      return error;
    }
  };
  expect(getHint("forbidden")).toMatchObject({
    message: "no",
    exitCode: 2,
    hint: "`pairpty share --role edit` makes an Edit link.",
  });
  expect(getHint("not_found")).toMatchObject({
    hint: "`pairpty people` lists who is here and who waits.",
  });
});
