import { expect, test } from "vitest";
import { methodNotAllowed } from "./json-response.ts";

test("M5 a method that a path does not take is 405, with those that it takes", async () => {
  const answer = methodNotAllowed("GET", "DELETE");
  expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, DELETE"]);
  expect(await answer.json()).toEqual({
    code: "method_not_allowed",
    error: "This path only supports GET, DELETE",
  });
});
