import { expect, test } from "vitest";
import { isAutomatic } from "./replies.ts";

const ESC = "\u001B";

test("W4 a terminal's own answers are told from typing", () => {
  const answers = [
    `${ESC}[?1;2c`,
    `${ESC}[>0;276;0c`,
    `${ESC}[0n`,
    `${ESC}[12;40R`,
    `${ESC}[?12;40R`,
    `${ESC}[?2026;2$y`,
    `${ESC}[8;24;80t`,
    `${ESC}]10;rgb:d7d7/dddd/e5e5${ESC}\\`,
    `${ESC}]11;rgb:1212/1616/1c1c\u0007`,
    `${ESC}]4;1;rgb:f2f2/8282/8b8b${ESC}\\`,
    `${ESC}P1$r0m${ESC}\\`,
    `${ESC}P>|xterm.js(6.0.0)${ESC}\\`,
    `${ESC}[I`,
    `${ESC}[O`,
  ];
  for (const answer of answers) expect(isAutomatic(answer), JSON.stringify(answer)).toBe(true);
});

test("W4 what a person types is not taken for an answer", () => {
  const typed = [
    "c",
    "R",
    "ls\r",
    ESC,
    `${ESC}[A`,
    `${ESC}OP`,
    `${ESC}[1;5C`,
    `${ESC}[3~`,
    `${ESC}[<0;10;5M`,
    `${ESC}[200~${ESC}[0n${ESC}[201~`,
    "你好",
  ];
  for (const data of typed) expect(isAutomatic(data), JSON.stringify(data)).toBe(false);
});

test("W4 Shift+F3 looks like a cursor position and is still a key", () => {
  expect(isAutomatic(`${ESC}[1;2R`)).toBe(true);
  expect(isAutomatic(`${ESC}[1;2R`, `${ESC}[1;2R`)).toBe(false);
});
