import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TitleReports } from "./title-reports.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("W89 a title is told at once, then the last of each pause, and nothing twice", () => {
  const told: string[] = [];
  const news = new TitleReports((title) => told.push(title) > 0);
  news.update("");
  expect([told, vi.getTimerCount()]).toEqual([[], 0]);
  news.update("shell");
  expect(told).toEqual(["shell"]);
  for (const title of ["vim", "make", "vim"]) news.update(title);
  expect(told).toEqual(["shell"]);
  vi.advanceTimersByTime(500);
  expect(told).toEqual(["shell", "vim"]);
  news.update("make");
  news.update("vim");
  vi.runAllTimers();
  expect([told, vi.getTimerCount()]).toEqual([["shell", "vim"], 0]);
  // After a quiet time, the next title is sent immediately.
  news.update("shell");
  expect(told).toEqual(["shell", "vim", "shell"]);
});

test("W89 a title that changes without end is told a few times a minute, and its last in the end", () => {
  const told: string[] = [];
  const news = new TitleReports((title) => told.push(title) > 0);
  for (let count = 1; count <= 6_000; count += 1) {
    news.update(`${count}`);
    vi.advanceTimersByTime(10);
  }
  expect(told.length).toBeLessThanOrEqual(19);
  vi.runAllTimers();
  expect(told.at(-1)).toBe("6000");
  news.update("the end");
  news.update("really");
  news.close();
  expect([told.at(-1), vi.getTimerCount()]).toEqual(["really", 0]);
});

test("W89 what could not be told is told later", () => {
  const told: string[] = [];
  let ready = false;
  const news = new TitleReports((title) => ready && told.push(title) > 0);
  news.update("shell");
  ready = true;
  vi.advanceTimersByTime(500);
  expect(told).toEqual(["shell"]);
});
