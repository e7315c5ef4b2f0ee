// Single keys, as a state machine.

import fc from "fast-check";
import { expect, test } from "vitest";
import { Hotkeys } from "./hotkeys.ts";
import { keyOf } from "./keys.ts";

function machine() {
  const did: string[] = [];
  const hotkeys = new Hotkeys({
    help: () => did.push("help"),
    links: () => did.push("links"),
    open: () => did.push("open"),
    code: () => did.push("code"),
    copy: (shared) => did.push(`copy ${shared?.link ?? "edit"}`),
    askRole: () => did.push("role?"),
    share: async (role) => {
      did.push(`share ${role}`);
      return `link-${role}`;
    },
    cancelled: () => did.push("cancelled"),
    quit: () => did.push("quit"),
    blank: () => did.push("blank"),
    signal: (name) => did.push(name),
  });
  const type = (input: string) => {
    const key = keyOf(input);
    if (key !== undefined) hotkeys.press(key);
  };
  return { did, hotkeys, type };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("C11 each key does its thing, in capitals too", () => {
  const { did, type } = machine();
  for (const key of ["h", "?", "L", "o", "C", "K", "q", "\r", "x", "\u001B"]) type(key);
  expect(did).toEqual(["help", "help", "links", "open", "copy edit", "code", "quit", "blank"]);
});

test("C11 s asks for what; c means the new link, whatever was pressed since, until l", async () => {
  const { did, type } = machine();
  for (const key of ["s", "v", "\r"]) type(key);
  await settled();
  for (const key of ["h", "x", "c", "c", "s", "q", "c", "l", "c"]) type(key);
  expect(did.join(", ")).toBe(
    "role?, share view, blank, help, copy link-view, copy link-view, role?, cancelled, copy link-view, links, copy edit",
  );
});

test("C11 a question takes the next key: y and Ctrl-C are yes, all else is no and does nothing", async () => {
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
    expect(did).toEqual([]);
  }
});

test("C12 Ctrl-C, Ctrl-Z and Ctrl-\\ are what the kernel would have made of them", () => {
  const { did, type } = machine();
  for (const key of ["\u0003", "\u001A", "\u001C"]) type(key);
  expect(did).toEqual(["SIGINT", "SIGTSTP", "SIGQUIT"]);
});

test("C11 a paste, an arrow key or rubbish is no key, but Ctrl-C in it is", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (rubbish) => {
      const paste = `ab${rubbish.replaceAll("\u0003", "")}`;
      return keyOf(paste) === undefined && keyOf(`${rubbish}\u0003`) === "ctrl-c";
    }),
  );
  expect(keyOf("y\r")).toEqual({ letter: "y" });
  for (const name of ["constructor", "toString", "__proto__"]) expect(keyOf(name)).toBeUndefined();
});
