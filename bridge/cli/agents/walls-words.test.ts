import { expect, test } from "vitest";
import { cannot } from "../../providers/ability.ts";
import { connectWords, refusedWords, screenWords } from "./walls-words.ts";

const WORKS = { ok: true, value: undefined } as const;
const NOT = cannot("bubblewrap is not installed", "Install it");

test("I17 a sandbox is offered where it works, with what it costs; where it does not, a sentence says why and what to do", () => {
  expect(screenWords("none", WORKS)).toContain(
    "with --agent-isolation sandbox it can write only to this folder",
  );
  expect(screenWords("none", NOT)).toBe(
    "what they start runs as you. No sandbox here: bubblewrap is not installed. Install it.",
  );
  expect(screenWords("container", NOT)).toBe("what they start runs in a container");
  expect(connectWords(undefined, "none", WORKS)).toContain("With --isolation sandbox it runs in a");
  expect(connectWords("none", "none", NOT)).toBe(
    "What it starts runs as you. No sandbox here: bubblewrap is not installed. Install it.",
  );
  expect(connectWords("none", "sandbox", WORKS)).toBe("What it starts runs in a sandbox.");
  expect(refusedWords("no image.")).toBe("pairpty will refuse what it starts: no image.");
});
