import { expect, test } from "vitest";
import { TitleMark } from "./title-mark.ts";

const set = (title: string) => `\u001B]2;${title}\u0007`;
const KEEP = "\u001B[22;2t";
const GIVE_BACK = "\u001B[23;2t";

function window() {
  const mark = new TitleMark();
  return {
    says: (text: string) => mark.push(Buffer.from(text)).toString(),
    turn: (on: boolean) => Buffer.from(mark.turn(on), "latin1").toString(),
    end: () => Buffer.from(mark.end(), "latin1").toString(),
  };
}

test("RE3 the window's title says that it is recorded, whatever titles the program sets, and no longer", () => {
  const { says, turn, end } = window();
  expect(says(`a${set("vim – ä")}b`)).toBe(`a${set("vim – ä")}b`);
  expect(turn(true)).toBe(KEEP + set("● recorded · vim – ä"));
  expect(turn(true)).toBe("");
  const other = "\u001B]0;shell\u001B\\";
  expect(says(`x${other}y\u001B[1mü`)).toBe(`x${set("● recorded · shell")}y\u001B[1mü`);
  expect(says(set(""))).toBe(set("● recorded"));
  expect(says(set("less"))).toBe(set("● recorded · less"));
  expect(turn(false)).toBe(set("less"));
  expect(says(set("top"))).toBe(set("top"));
  expect([end(), end()]).toEqual([set("") + GIVE_BACK, ""]);
});

test("RE3 a title that a program gives back when it ends is marked as things are then", () => {
  const { says, turn, end } = window();
  says(set("shell") + KEEP + set("vim"));
  turn(true);
  expect(says(GIVE_BACK)).toBe(GIVE_BACK + set("● recorded · shell"));
  says(KEEP + set("vim"));
  expect(turn(false)).toBe(set("vim"));
  expect(says(GIVE_BACK)).toBe(GIVE_BACK + set("shell"));
  end();
  expect(says(KEEP + set("vim") + GIVE_BACK)).toBe(KEEP + set("vim") + GIVE_BACK);
});

test("RE3 a window without a title gets none", () => {
  const { turn, end } = window();
  expect(end()).toBe("");
  expect(turn(true)).toBe(KEEP + set("● recorded"));
  expect(turn(false)).toBe(set("") + GIVE_BACK);
  expect(end()).toBe("");
});
