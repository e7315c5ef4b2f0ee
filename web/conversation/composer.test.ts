import { expect, test } from "vitest";
import { applyCompletion, findHint, findOffers } from "./composer.tsx";

const COMMANDS = [
  { name: "compact", description: "Shorten", hint: "what to keep" },
  { name: "init", description: "Begin" },
  { name: "code-review", description: "Review" },
];

const offered = (text: string, cursor = text.length): string[] =>
  findOffers(text, cursor, COMMANDS).map(({ name }) => name);

test("AC75 a slash at the start offers commands, those that begin so first", () => {
  expect(offered("/")).toEqual(["compact", "init", "code-review"]);
  expect(offered("/CO")).toEqual(["compact", "code-review"]);
  expect(offered("/i")).toEqual(["init", "code-review"]);
  expect(offered("/compact")).toEqual(["compact"]);
  for (const other of ["", "a /co", " /co", "/compact ", "/compact all", "/\n"])
    expect(offered(other), other).toEqual([]);
  // Only the text before the cursor counts.
  expect(offered("/in all of it", 3)).toEqual(["init"]);
});

test("AC75 what is completed takes the place of what was written, and keeps the rest", () => {
  const [compact] = COMMANDS;
  if (!compact) throw new Error("no command");
  expect(applyCompletion("/co", 3, compact)).toEqual({ text: "/compact ", cursor: 9 });
  expect(applyCompletion("/coxx the rest", 3, compact)).toEqual({
    text: "/compact the rest",
    cursor: 9,
  });
});

test("AC75 a command says what it wants to hear until something is written behind it", () => {
  expect([findHint("/compact ", COMMANDS), findHint("/init", COMMANDS)]).toEqual([
    "what to keep",
    undefined,
  ]);
  expect([findHint("/compact x", COMMANDS), findHint("/nope", COMMANDS)]).toEqual([
    undefined,
    undefined,
  ]);
});
