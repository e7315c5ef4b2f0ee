import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { TOAST_MS, ToastList } from "./toast-list.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const texts = (list: ToastList): string[] => list.all.value.map(({ text }) => text);

test("W60 of several sentences about one's own access only the newest is shown", () => {
  const list = new ToastList();
  list.show("Copied.");
  list.show("This browser was limited to watching. Ask the host to let you type again.");
  const refusal = "Read-only: this browser was limited to watching and cannot type. Ask the host.";
  list.show(refusal);
  expect(texts(list)).toEqual(["Copied.", refusal]);
  const bridges = "This browser was limited to watching; ask the host to let you type again";
  list.show(bridges);
  list.show(bridges);
  expect(texts(list)).toEqual(["Copied.", bridges]);
  list.show("You can type again.");
  expect(texts(list)).toEqual(["Copied.", "You can type again."]);
  vi.advanceTimersByTime(TOAST_MS);
  expect([texts(list), vi.getTimerCount()]).toEqual([[], 0]);
});

test("W60 W99 a toast that stays ends when it is dismissed, or a while after a person used the page", () => {
  const list = new ToastList();
  const stays = { topic: "asleep", stays: true } as const;
  list.show("not run", stays);
  vi.advanceTimersByTime(10 * TOAST_MS);
  expect(texts(list)).toEqual(["not run"]);
  list.release();
  list.release();
  vi.advanceTimersByTime(TOAST_MS - 1);
  expect(texts(list)).toEqual(["not run"]);
  vi.advanceTimersByTime(1);
  expect(texts(list)).toEqual([]);
  list.show("not run", stays);
  list.dismiss(list.all.value[0]?.key ?? 0);
  expect([texts(list), vi.getTimerCount()]).toEqual([[], 0]);
});
