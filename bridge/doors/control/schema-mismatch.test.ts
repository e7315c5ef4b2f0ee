// The errors for an invalid request of the command line: no wording of a schema.

import { expect, test } from "vitest";
import { toSchemaMismatch } from "./schema-mismatch.ts";
import { ControlRequest } from "./control-requests.ts";

function describeMismatch(request: object): string {
  const read = ControlRequest.safeParse(request);
  if (read.success) throw new Error("the request fits");
  const { error, hint } = toSchemaMismatch(request, read.error);
  return hint === undefined ? error : `${error}. ${hint}`;
}

test.each([
  [
    { verb: "rename", id: "pty-000001", name: "x".repeat(201) },
    "the name has at most 200 characters",
  ],
  [{ verb: "admit", who: "" }, "the person's name or id must not be empty"],
  [
    { verb: "turn-away", who: "x".repeat(201) },
    "the person's name or id has at most 200 characters",
  ],
  [{ verb: "endRule", id: "x".repeat(65) }, "the id has at most 64 characters"],
  [{ verb: "record", id: "pty-000001", on: true, out: "" }, "the file (--out) must not be empty"],
  [{ verb: "pin", id: "pty-000001", on: true, cols: 0 }, "the number of columns is at least 1"],
  [{ verb: "rights", who: "Ada", role: "owner" }, "role is one of view, edit, none"],
  [
    { verb: "admit", who: "Ada", code: "1".repeat(65) },
    "the code (--code) has at most 64 characters",
  ],
])("C64 a mistake is told by its argument and what is allowed: %o", (request, sentence) => {
  expect(describeMismatch(request)).toBe(sentence);
});

test("C64 a verb or a value of another version is told with what to do", () => {
  for (const odd of [{ verb: "dance" }, {}, { verb: "close", id: 7 }]) {
    expect(describeMismatch(odd)).toMatch(
      /^(the running bridge does not know (the command dance|this request)|the id is not supp)/,
    );
    expect(describeMismatch(odd)).toContain("pairpty stop");
    expect(describeMismatch(odd)).not.toMatch(/Invalid|expected|Too (small|big)/);
  }
});
