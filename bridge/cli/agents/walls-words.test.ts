import { expect, test } from "vitest";
import { cannot } from "../../providers/ability.ts";
import { connectWords, refusedWords, screenWords } from "./walls-words.ts";

const WORKS = { ok: true, value: undefined } as const;
const NOT = cannot("bubblewrap is not installed", "Install it");

test("I17 a sandbox is offered where it works, with what it costs; where it does not, a sentence says why and what to do", () => {
  expect(screenWords("none", WORKS)).toContain(
    "--agent-isolation sandbox limits them to this folder",
  );
  expect(screenWords("none", NOT)).toBe(
    "agents' commands run with your permissions. No sandbox here: bubblewrap is not installed. Install it.",
  );
  expect(screenWords("container", NOT)).toBe("agents' commands run in a container");
  expect(connectWords(undefined, "none", WORKS)).toContain("--isolation sandbox puts them in a");
  expect(connectWords("none", "none", NOT)).toBe(
    "Its commands run with your permissions. No sandbox here: bubblewrap is not installed. Install it.",
  );
  expect(connectWords("none", "sandbox", WORKS)).toBe("Its commands run in a sandbox.");
  expect(refusedWords("no image.")).toBe("pairpty will refuse its commands: no image.");
});
