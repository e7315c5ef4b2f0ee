// The fast check of input, compared with the schema.

import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_INPUT_CHARS } from "./limits.ts";
import { findPtyRequest, isPtyInput } from "./pty-requests.ts";

const odd = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.constant(undefined));
const message = fc.oneof(
  fc.record({
    type: fc.constant("pty:input"),
    id: fc.string({ maxLength: 70 }),
    data: fc.string(),
    reply: fc.constantFrom("clipboard", "other", 1, undefined),
  }),
  fc.record({ type: odd, id: odd, data: odd, more: odd }, { requiredKeys: [] }),
  fc.record({
    type: fc.constant("pty:input"),
    id: fc.constant("pty-1"),
    data: fc.integer({ min: -1, max: 1 }).map((more) => "x".repeat(MAX_INPUT_CHARS + more)),
  }),
  fc.anything(),
);

test("D5 a key that is read the short way is one that the schema takes, and the other way round", () => {
  fc.assert(
    fc.property(message, (value) => {
      const parsed = findPtyRequest("pty:input")?.schema.safeParse(value);
      expect(isPtyInput(value)).toBe(parsed?.success);
      if (isPtyInput(value)) expect(parsed?.data).toMatchObject({ id: value.id, data: value.data });
    }),
  );
});
