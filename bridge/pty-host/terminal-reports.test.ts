import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TitleReports } from "./terminal-reports.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("W89 a title is told at once, then the last of each pause, and nothing twice", () => {
  const events: string[] = [];
  const news = new TitleReports((title) => events.push(title) > 0);
  news.update("");
  expect([events, vi.getTimerCount()]).toEqual([[], 0]);
  news.update("shell");
  expect(events).toEqual(["shell"]);
  for (const title of ["vim", "make", "vim"]) news.update(title);
  expect(events).toEqual(["shell"]);
  vi.advanceTimersByTime(500);
  expect(events).toEqual(["shell", "vim"]);
  news.update("make");
  news.update("vim");
  vi.runAllTimers();
  expect([events, vi.getTimerCount()]).toEqual([["shell", "vim"], 0]);
  // After a quiet time, the next title is sent immediately.
  news.update("shell");
  expect(events).toEqual(["shell", "vim", "shell"]);
});

test("W89 a title that changes without end is told a few times a minute, and its last in the end", () => {
  const events: string[] = [];
  const news = new TitleReports((title) => events.push(title) > 0);
  for (let count = 1; count <= 6_000; count += 1) {
    news.update(`${count}`);
    vi.advanceTimersByTime(10);
  }
  expect(events.length).toBeLessThanOrEqual(19);
  vi.runAllTimers();
  expect(events.at(-1)).toBe("6000");
  news.update("the end");
  news.update("really");
  news.close();
  expect([events.at(-1), vi.getTimerCount()]).toEqual(["really", 0]);
});

test("W89 what could not be told is told later", () => {
  const events: string[] = [];
  let ready = false;
  const news = new TitleReports((title) => ready && events.push(title) > 0);
  news.update("shell");
  ready = true;
  vi.advanceTimersByTime(500);
  expect(events).toEqual(["shell"]);
});
