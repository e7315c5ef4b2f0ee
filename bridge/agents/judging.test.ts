import { expect, it } from "vitest";
import { judgeDraft, judgeTyped } from "./judging.ts";

it("A21 a typed line meets a history, a line for sh does not", () => {
  const line = 'grep -n "!important" a.css';
  const draft = { command: undefined, line, cwd: "/home/u/work", added: {} };
  expect(judgeDraft(draft, {}).verdict).toBe("safe");
  expect(judgeTyped(line, "/home/u/work", {}).verdict).toBe("unknown");
});
