import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ProgramTitle } from "./terminal-reports.ts";

const SHELL = 10;
const VIM = 20;

let front: number | undefined = SHELL;
let looks = 0;
const changes: string[] = [];
let title: ProgramTitle;
let count = 0;

const sets = (text: string): void => title.set(text, (count += 1));
/** Without a title in it: the last one stands. */
const prints = (): void => title.set("whatever was set last", count);

beforeEach(() => {
  vi.useFakeTimers();
  front = SHELL;
  looks = count = 0;
  changes.length = 0;
  title = new ProgramTitle({
    findFront: () => {
      looks += 1;
      return front === undefined ? undefined : { front, first: SHELL };
    },
    changed: (now) => changes.push(now),
  });
});
afterEach(() => vi.useRealTimers());

test("H30 a title goes with the program that set it; a shell's own comes back, or none", () => {
  front = VIM;
  sets("notes - VIM");
  front = SHELL;
  prints();
  vi.runAllTimers();
  expect([title.current, changes]).toEqual(["", [""]]);
  sets("~/work");
  front = VIM;
  sets("other - VIM");
  expect(title.current).toBe("other - VIM");
  front = SHELL;
  prints();
  vi.runAllTimers();
  expect(title.current).toBe("~/work");
});

test("H31 the title of a program that was stopped comes back with it", () => {
  front = VIM;
  sets("VIM");
  for (const [group, shown] of [
    [SHELL, ""],
    [VIM, "VIM"],
  ] as const) {
    front = group;
    prints();
    vi.runAllTimers();
    expect(title.current).toBe(shown);
  }
});

test("H30 the same title set by the next program is that program's", () => {
  for (front of [VIM, VIM + 1]) {
    sets("VIM");
    const running = title.current;
    front = SHELL;
    prints();
    vi.runAllTimers();
    expect([running, title.current]).toEqual(["VIM", ""]);
  }
});

test("H30 a shell's title stays while programs run that set none, and costs no look", () => {
  sets("~/work");
  front = VIM;
  for (let times = 0; times < 10_000; times += 1) prints();
  vi.runAllTimers();
  expect([title.current, looks]).toEqual(["~/work", 1]);
});

test("H31 output behind a program's title costs one look at a time; groups are bounded", () => {
  front = VIM;
  sets("VIM");
  for (let times = 0; times < 10_000; times += 1) prints();
  vi.runAllTimers();
  expect(looks).toBe(2);
  front = SHELL;
  sets("shell");
  for (front = 100; front < 200; front += 1) sets(`${front}`);
  front = SHELL;
  prints();
  vi.runAllTimers();
  expect(title.current).toBe("shell");
});

test("H31 where it is not known what runs, a title stays", () => {
  front = undefined;
  sets("VIM");
  prints();
  vi.runAllTimers();
  expect([title.current, changes]).toEqual(["VIM", []]);
});
