import { signal } from "@preact/signals";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { InputHold } from "./input-hold.ts";
import { MAX_PENDING_MS } from "./pending-input.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns a page that shows "old", with its toasts and what it sent to terminals. */
function page(from: string | null = "old") {
  const toasts: string[] = [];
  const typed: string[] = [];
  const current = signal(from ?? undefined);
  const focus = signal(0);
  const reachable = signal(true);
  const hold = new InputHold({
    toast: (text) => void toasts.push(text),
    reachable,
    current: () => current.value,
    focus,
    getKey: (id) => id,
  });
  const sink = (blocked?: string) => ({
    blockedReason: () => blocked,
    type: (data: string) => void typed.push(data),
    paste: (text: string) => !text.includes("\n") && typed.push(text) > 0,
  });
  const type = (data: string) => hold.take({ kind: "keys", data });
  return { hold, toasts, typed, current, focus, reachable, sink, type };
}

const NOT_SENT = "What you typed was not sent.";

test("WT13 input waits from the request to the attach, also where that comes before the answer", () => {
  const { hold, typed, toasts, sink, type } = page(null);
  expect(type("early")).toBe(false);
  hold.begin();
  expect(type("a")).toBe(true);
  hold.onAttached("new", sink());
  expect(type("b")).toBe(true);
  expect(typed).toEqual([]);
  hold.onOpened("new");
  expect(typed).toEqual(["a", "b"]);
  expect(type("c")).toBe(false);
  expect([toasts, hold.isOpening.value, hold.isHolding.value]).toEqual([[], false, false]);
});

test("WT63 the focus stays until a composed word has come, also where the answer comes right after its end", async () => {
  const { hold } = page();
  const order: string[] = [];
  hold.begin();
  hold.onComposing(true);
  hold.onComposing(false);
  // Like xterm, which gets the event after the page.
  setTimeout(() => order.push("word"));
  const moved = hold.onComposed().then(() => order.push("focus moves"));
  await vi.runAllTimersAsync();
  await moved;
  expect(order).toEqual(["word", "focus moves"]);
});

test("WT63 a second word that begins at once is waited for, too", async () => {
  const { hold } = page();
  let isComposed = false;
  hold.begin();
  hold.onComposing(true);
  hold.onComposing(false);
  void hold.onComposed().then(() => (isComposed = true));
  hold.onComposing(true);
  await vi.advanceTimersByTimeAsync(100);
  expect(isComposed).toBe(false);
  hold.onComposing(false);
  await vi.advanceTimersByTimeAsync(100);
  expect(isComposed).toBe(true);
});

test("WT14 WT67 it is dropped and said: refused, cut, late, or not to be typed into", () => {
  const refused = page();
  refused.hold.begin();
  refused.type("x");
  refused.hold.onFailed("Too many.");
  expect(refused.toasts).toEqual([`Too many. ${NOT_SENT}`]);

  const quiet = page();
  quiet.hold.begin();
  quiet.hold.onFailed("Too many.");
  expect(quiet.toasts).toEqual(["Too many."]);

  const cut = page();
  cut.hold.begin();
  cut.type("x");
  cut.reachable.value = false;
  expect(cut.toasts).toEqual([]);
  cut.hold.onFailed("Connection lost.");
  expect(cut.toasts).toEqual([`Connection lost. ${NOT_SENT}`]);
  expect(cut.hold.hasLeft).toBe(false);

  const unattached = page();
  unattached.hold.begin();
  unattached.type("x");
  unattached.hold.onOpened("new");
  unattached.reachable.value = false;
  expect(unattached.toasts).toEqual([`Not connected. ${NOT_SENT}`]);

  const late = page();
  late.hold.begin();
  late.type("x");
  late.hold.onOpened("new");
  vi.advanceTimersByTime(MAX_PENDING_MS - 1);
  expect(late.hold.isHolding.value).toBe(true);
  vi.advanceTimersByTime(1);
  late.hold.onAttached("new", late.sink());
  expect(late.toasts).toEqual([`The new terminal was not ready after 10 seconds. ${NOT_SENT}`]);
  expect(late.typed).toEqual([]);

  const ended = page();
  ended.hold.begin();
  ended.type("x");
  ended.hold.onOpened("new");
  ended.hold.onAttached("new", ended.sink(""));
  expect(ended.toasts).toEqual([`The new terminal has ended. ${NOT_SENT}`]);
});

test("WT86 a request that is not answered in 10 s is still shown, until its answer", () => {
  const { hold, toasts, sink } = page();
  hold.begin();
  vi.advanceTimersByTime(MAX_PENDING_MS - 1);
  expect(hold.isLate.value).toBe(false);
  vi.advanceTimersByTime(1);
  expect([hold.isHolding.value, hold.isLate.value, toasts]).toEqual([false, true, []]);
  hold.onFailed("No answer.");
  expect([hold.isLate.value, toasts]).toEqual([false, ["No answer."]]);
  hold.begin();
  vi.advanceTimersByTime(MAX_PENDING_MS);
  hold.onOpened("new");
  hold.onAttached("new", sink());
  expect(hold.isLate.value).toBe(false);
  // Answered, and not attached: its own tab shows that.
  hold.begin();
  hold.onOpened("other");
  vi.advanceTimersByTime(MAX_PENDING_MS);
  expect(hold.isLate.value).toBe(false);
});

test("WT68 who goes elsewhere gives it up; where the page itself moves, nothing is lost", () => {
  const gone = page();
  gone.hold.begin();
  gone.type("x");
  gone.current.value = "another";
  expect([gone.hold.hasLeft, gone.hold.isHolding.value]).toEqual([true, false]);
  expect(gone.toasts).toEqual(["What you typed for the new terminal was not sent."]);

  const back = page();
  back.hold.begin();
  back.focus.value += 1;
  expect([back.hold.hasLeft, back.toasts]).toEqual([true, []]);

  const first = page(null);
  first.hold.begin();
  first.current.value = "new";
  first.hold.onOpened("new");
  first.focus.value += 1;
  expect(first.hold.isHolding.value).toBe(true);
  first.current.value = "another";
  expect(first.hold.hasLeft).toBe(true);
});

test("WT66 lines that are pasted are asked about, and what was typed after them is not sent", () => {
  const { hold, typed, toasts, sink, type } = page();
  hold.begin();
  type("a");
  hold.take({ kind: "paste", text: "b" });
  hold.take({ kind: "paste", text: "two\nlines" });
  type("c");
  hold.onOpened("new");
  hold.onAttached("new", sink());
  expect(typed).toEqual(["a", "b"]);
  expect(toasts).toEqual(["What you typed after the pasted lines was not sent."]);
});

test("WT63 while a word is composed the new terminal waits for it, until the hold ends", async () => {
  const { hold } = page();
  hold.begin();
  let isDone = false;
  hold.onComposing(true);
  const waiting = hold.onComposed().then(() => (isDone = true));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(isDone).toBe(false);
  hold.onComposing(false);
  await vi.advanceTimersByTimeAsync(1);
  await waiting;
  hold.onComposing(true);
  const again = hold.onComposed();
  await vi.advanceTimersByTimeAsync(MAX_PENDING_MS);
  await again;
});

test("WT65 while a terminal is being opened no other is, and what is typed stays whole", () => {
  const { hold, typed, toasts, sink, type } = page();
  hold.begin();
  type("ls\r");
  hold.refuseAnother();
  type("echo second\r");
  hold.onOpened("new");
  expect(hold.isUnderWay).toBe(true);
  hold.onAttached("new", sink());
  expect(typed).toEqual(["ls\r", "echo second\r"]);
  expect(toasts).toEqual([expect.stringContaining("still being opened")]);
  expect(hold.isUnderWay).toBe(false);
});

test("WT65 a second beginning before the first terminal is attached leaves nothing behind", () => {
  const { hold, typed, toasts, current, focus, sink, type } = page();
  hold.begin();
  hold.onOpened("one");
  hold.begin();
  hold.onAttached("one", sink());
  current.value = "one";
  focus.value += 1;
  hold.begin();
  type("x");
  hold.onOpened("two");
  current.value = "two";
  focus.value += 1;
  hold.onAttached("two", sink());
  expect([typed, toasts]).toEqual([["x"], []]);
});
