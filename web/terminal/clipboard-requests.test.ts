import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import type { Dialog } from "../session/store.ts";
import { encodeClipboardAnswer } from "./clipboard.ts";
import { ClipboardRequests } from "./clipboard-requests.ts";

function page(isAllowed = true) {
  const texts: string[] = [];
  const copied: string[] = [];
  const dialog = signal<Dialog | undefined>(undefined);
  const clock = { now: 0 };
  const requests = new ClipboardRequests({
    store: { toast: (text) => void texts.push(text), dialog },
    name: () => "work",
    reply: (data) => void texts.push(data),
    now: () => clock.now,
    copy: async (text) => {
      copied.push(text);
      return isAllowed;
    },
    read: async () => {
      if (!isAllowed) throw new Error("denied");
      return "secret";
    },
  });
  const question = () => (dialog.value?.kind === "confirm" ? dialog.value.question() : undefined);
  return { requests, texts, copied, dialog, clock, question };
}

test("WT6 what a program copies is copied and said", async () => {
  const { requests, texts, copied } = page();
  await requests.handle({ wants: "write", text: "é👍" });
  expect(copied).toEqual(["é👍"]);
  expect(texts).toEqual(["A program copied 2 characters to your clipboard."]);
  const other = page(false);
  await other.requests.handle({ wants: "write", text: "x" });
  expect(other.texts).toEqual([
    "A program tried to copy 1 character, but this browser blocked it.",
  ]);
  await requests.handle({ wants: "nothing", why: "too long" });
  await requests.handle({ wants: "nothing", why: "unreadable" });
  expect(texts).toHaveLength(2);
});

test("WT51 reading is asked about, once in a while, and answered only after a yes", async () => {
  const { requests, texts, dialog, clock, question } = page();
  await requests.handle({ wants: "read", which: "c" });
  expect(question()?.title).toBe("Let a program read your clipboard?");
  dialog.value = undefined;
  await requests.handle({ wants: "read", which: "c" });
  expect([dialog.value, texts]).toEqual([undefined, []]);
  clock.now = 30_000;
  await requests.handle({ wants: "read", which: "c" });
  question()?.run();
  await expect.poll(() => texts).toEqual([encodeClipboardAnswer("c", "secret")]);
  // No confirmation while another dialog is open.
  clock.now = 90_000;
  dialog.value = { kind: "help" };
  await requests.handle({ wants: "read", which: "c" });
  expect(dialog.value).toEqual({ kind: "help" });
});
