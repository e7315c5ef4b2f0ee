import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TitleNews } from "./title-news.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("W89 a title is told at once, then the last of each pause, and nothing twice", () => {
  const told: string[] = [];
  const news = new TitleNews((title) => told.push(title) > 0);
  news.is("");
  expect([told, vi.getTimerCount()]).toEqual([[], 0]);
  news.is("shell");
  expect(told).toEqual(["shell"]);
  for (const title of ["vim", "make", "vim"]) news.is(title);
  expect(told).toEqual(["shell"]);
  vi.advanceTimersByTime(500);
  expect(told).toEqual(["shell", "vim"]);
  news.is("make");
  news.is("vim");
  vi.runAllTimers();
  expect([told, vi.getTimerCount()]).toEqual([["shell", "vim"], 0]);
  // After a quiet time, the next title is sent immediately.
  news.is("shell");
  expect(told).toEqual(["shell", "vim", "shell"]);
});

test("W89 a title that changes without end is told a few times a minute, and its last in the end", () => {
  const told: string[] = [];
  const news = new TitleNews((title) => told.push(title) > 0);
  for (let count = 1; count <= 6_000; count += 1) {
    news.is(`${count}`);
    vi.advanceTimersByTime(10);
  }
  expect(told.length).toBeLessThanOrEqual(19);
  vi.runAllTimers();
  expect(told.at(-1)).toBe("6000");
  news.is("the end");
  news.is("really");
  news.close();
  expect([told.at(-1), vi.getTimerCount()]).toEqual(["really", 0]);
});

test("W89 what could not be told is told later", () => {
  const told: string[] = [];
  let ready = false;
  const news = new TitleNews((title) => ready && told.push(title) > 0);
  news.is("shell");
  ready = true;
  vi.advanceTimersByTime(500);
  expect(told).toEqual(["shell"]);
});
