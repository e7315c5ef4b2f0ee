// Single keys, as a state machine.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { HotkeyActions, ApprovalKeys } from "./hotkeys.ts";
import { Hotkeys, parseKey } from "./hotkeys.ts";
import { anyCharacter } from "../../../test/support/any-character.ts";

function machine(isAsked = false, keys: Partial<ApprovalKeys> = {}) {
  const did: string[] = [];
  const actions: HotkeyActions = {
    showHelp: () => did.push("help"),
    showLinks: async () => void did.push("links"),
    openPage: () => did.push("open"),
    showCode: () => did.push("code"),
    listTerminals: () => (did.push("terminals") > 0 ? ["2", "4"] : []),
    stepIn: async (number) => void did.push(`step in ${number}`),
    copyLink: (shared) => did.push(`copy ${shared?.link ?? "edit"}`),
    showAgentHelp: async () => void did.push("agent"),
    askName: () => did.push("name?"),
    echo: (letter) => did.push(`+${letter}`),
    erase: (letter) => did.push(`-${letter}`),
    endLine: () => did.push("line"),
    askRole: (name) => did.push(name === undefined ? "role?" : `role of ${name}?`),
    shareLink: async (role, name) => {
      did.push(["share", role, name].filter(Boolean).join(" "));
      return `link-${role}`;
    },
    showCancelled: () => did.push("cancelled"),
    askAdmission: () => (did.push("door?") > 0 ? "a1b2c3d4" : undefined),
    answerAdmission: (who, answer) => did.push(`${answer} ${who}`),
    quit: () => did.push("quit"),
    printBlankLine: () => did.push("blank"),
    signal: (name) => did.push(name),
  };
  const questions: ApprovalKeys = {
    isTyping: false,
    hold: () => did.push("hold"),
    release: () => did.push("release"),
    press: (letter) => isAsked && "yapn".includes(letter) && did.push(`answer ${letter}`) > 0,
    type: () => {},
    ...keys,
  };
  const hotkeys = new Hotkeys(actions, questions);
  const type = (input: string) => hotkeys.input(input);
  return { did, hotkeys, type };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("C66 each key does its thing, in capitals too", () => {
  const { did, type } = machine();
  for (const key of ["h", "?", "L", "o", "C", "K", "q", "\r", "x", "\u001B"]) type(key);
  expect(did).toEqual([
    "help",
    "help",
    "links",
    "hold",
    "open",
    "copy edit",
    "code",
    "quit",
    "blank",
  ]);
});

test("C70 s asks for what; c means the new link, whatever was pressed since, until l", async () => {
  const { did, type } = machine();
  for (const key of ["s", "v", "\r"]) type(key);
  await settled();
  for (const key of ["h", "x", "c", "c", "s", "q", "c", "l", "c"]) type(key);
  const shown = did.filter((what) => !["hold", "release"].includes(what));
  expect(shown.join(", ")).toBe(
    "role?, share view, blank, help, copy link-view, copy link-view, role?, cancelled, copy link-view, links, copy edit",
  );
});

test("C67 a question takes the next key: y and Ctrl-C are yes, all else is no and does nothing", async () => {
  for (const [key, yes] of [
    ["y", true],
    ["Y", true],
    ["\u0003", true],
    ["n", false],
    ["q", false],
    ["\r", false],
  ] as const) {
    const { did, hotkeys, type } = machine();
    const answer = hotkeys.ask();
    type(key);
    expect(await answer, JSON.stringify(key)).toBe(yes);
    expect(did).toEqual(["hold"]);
  }
});

test("C73 Ctrl-C, Ctrl-Z and Ctrl-\\ are what the kernel would have made of them", () => {
  const { did, type } = machine();
  for (const key of ["\u0003", "\u001A", "\u001C"]) type(key);
  expect(did).toEqual(["SIGINT", "SIGTSTP", "SIGQUIT"]);
});

test("C66 a paste, an arrow key or rubbish is no key, but Ctrl-C in it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (rubbish) => {
      const paste = `ab${rubbish.replaceAll("\u0003", "")}`;
      return parseKey(paste) === undefined && parseKey(`${rubbish}\u0003`) === "ctrl-c";
    }),
  );
  expect(parseKey("y\r")).toEqual({ letter: "y" });
  for (const name of ["constructor", "toString", "__proto__"])
    expect(parseKey(name)).toBeUndefined();
});

test("C94 C98 an agent's question has y, a, p and n while no other question has the keys", async () => {
  const { did, hotkeys, type } = machine(true);
  for (const key of ["y", "h", "n", "x"]) type(key);
  expect(did.splice(0)).toEqual(["answer y", "help", "answer n"]);
  for (const key of ["s", "y", "a"]) type(key);
  expect(did.splice(0)).toEqual(["hold", "role?", "cancelled", "release", "answer a"]);
  for (const key of ["s", "v"]) type(key);
  await settled();
  expect(did.splice(0)).toEqual(["hold", "role?", "share view", "hold", "release"]);
  const quits = hotkeys.ask();
  type("y");
  expect([await quits, did.splice(0)]).toEqual([true, ["hold"]]);
  type("l");
  await settled();
  expect(did).toEqual(["links", "hold", "release"]);
});

test("C95 while a reason is typed, keys are text", () => {
  const typed: string[] = [];
  const { did, type } = machine(true, { isTyping: true, type: (text) => void typed.push(text) });
  for (const key of ["q", "y", "\u0003", "no, thanks"]) type(key);
  expect([did, typed]).toEqual([[], ["q", "y", "\u0003", "no, thanks"]]);
});

test("C119 i asks for a name, then for what; the link is that person's and copied at once", async () => {
  const { did, type } = machine();
  type("i");
  type("Ad");
  type("\u001B[A");
  type("x\u007F");
  // A key of ours is text here.
  type("q");
  type("\u007Fa\r");
  expect(did.splice(0)).toEqual(
    "hold name? +A +d +x -x +q -q +a line".split(" ").concat("role of Ada?"),
  );
  type("e");
  await settled();
  expect(did).toEqual(["share edit Ada", "hold", "copy link-edit", "release"]);
});

test.each(["\r", "\u001B", "  \r", "\u0003"])("C121 %j instead of a name makes no link", (end) => {
  const { did, type } = machine();
  type("i");
  type(end);
  expect(did.slice(-3)).toEqual(["line", "cancelled", "release"]);
  type("q");
  expect(did.at(-1)).toBe("quit");
});

test("C51 m shows how an agent is connected", async () => {
  const { did, type } = machine();
  type("m");
  await settled();
  expect(did).toEqual(["agent", "hold", "release"]);
});

test("PE5 w asks about whoever waits at the door: y lets in, n turns away, any other key leaves them", () => {
  const { did, type } = machine();
  for (const key of ["w", "y", "w", "n", "w", "q"]) type(key);
  const asked = (answer: string) => ["door?", "hold", `${answer} a1b2c3d4`, "release"];
  expect(did).toEqual(["let in", "turn away", "wait"].flatMap(asked));
});

test("I105 behind t, a number that was listed steps in; every other key does what it always does", async () => {
  const { did, type } = machine();
  type("t");
  type("4");
  await settled();
  expect(did.splice(0)).toEqual(["terminals", "step in 4", "hold", "release"]);
  type("4");
  for (const key of ["t", "3", "4", "t", "k", "4"]) type(key);
  expect(did).toEqual(["terminals", "terminals", "code"]);
});
