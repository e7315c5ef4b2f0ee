import { expect, test } from "vitest";
import { cannot } from "../../providers/ability.ts";
import { connectWords, screenWords } from "./walls-words.ts";

const WORKS = { ok: true, value: undefined } as const;
const NOT = cannot("bubblewrap is not installed", "Install it");

test("I17 a sandbox is offered where it works, with what it costs; where it does not, nothing is promised", () => {
  expect(screenWords("none", WORKS)).toContain(
    "with --agent-isolation sandbox it writes this folder",
  );
  expect(screenWords("none", NOT)).toBeUndefined();
  expect(screenWords("container", NOT)).toBe("what they start runs in a container");
  expect(connectWords(undefined, "none", WORKS)).toContain("With --isolation sandbox it runs in a");
  expect(connectWords("none", "none", NOT)).toBe("What it starts runs as you.");
  expect(connectWords("none", "sandbox", WORKS)).toBe("What it starts runs in a sandbox.");
  expect(connectWords("sandbox", "none", NOT)).toBe(
    "What it starts will be refused: bubblewrap is not installed. Install it.",
  );
});
