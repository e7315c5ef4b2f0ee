import * as fc from "fast-check";
import { expect, test } from "vitest";
import { toBytes } from "../../protocol/text.ts";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import { OpenPastes, PASTE_END } from "./open-pastes.ts";

const START = "\u001B[200~";
const terminal = poolTerminal();

/** Whether a caller who typed these messages is in the middle of a paste. */
function isOpen(...messages: string[]): boolean {
  const pastes = new OpenPastes();
  const caller = callerWith(createGrant("eeeeeeeeee", { role: "edit" }), "people");
  for (const message of messages) pastes.onTyped(caller, terminal, toBytes(message));
  const open = pastes.take(caller);
  expect(pastes.take(caller)).toEqual([]);
  return open.length === 1;
}

test("WT80 a paste is open from its first message until its end, wherever the end is cut", () => {
  expect([isOpen(), isOpen("x"), isOpen("a long line of keys"), isOpen(PASTE_END)]).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(isOpen(`${START}one`, "two")).toBe(true);
  expect(isOpen(`${START}one${PASTE_END}`, "two")).toBe(false);
  expect(isOpen(`${START}one${PASTE_END}${START}`)).toBe(true);
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      fc.nat(20),
      fc.nat(PASTE_END.length),
      (before, after, cut, end) => {
        const text = before + after;
        const [first, second] = [text.slice(0, cut), text.slice(cut)];
        const rest = second + PASTE_END.slice(0, end);
        expect(isOpen(START + first, rest)).toBe(end < PASTE_END.length);
        expect(isOpen(START + first, rest, PASTE_END.slice(end))).toBe(false);
      },
    ),
  );
});
