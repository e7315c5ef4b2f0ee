import { signal } from "@preact/signals";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_INPUT_CHARS, MAX_PEER_MESSAGE } from "../../protocol/limits.ts";
import type { Dialog } from "../session/store.ts";
import {
  pasteWithConfirmation,
  stripControls,
  splitInput,
  ClipboardRequests,
} from "./terminal-clipboard.ts";
import { encodeClipboardAnswer } from "./clipboard.ts";

test("W2 a long paste arrives whole, in messages that the room takes", () => {
  const unit = fc.constantFrom("a", "\u001B", '"', "é", "你", "👍", "\uD83D", "\n");
  const text = fc
    .array(fc.tuple(unit, fc.integer({ min: 1, max: 60_000 })), { maxLength: 6 })
    .map((runs) => runs.map(([one, times]) => one.repeat(times)).join(""));
  fc.assert(
    fc.property(text, (whole) => {
      const parts = [...splitInput(whole)];
      expect(parts.join("") === whole).toBe(true);
      for (const data of parts) {
        expect(data.length).toBeLessThanOrEqual(MAX_INPUT_CHARS);
        const message = JSON.stringify({ type: "pty:input", id: "p".repeat(64), data });
        expect(new TextEncoder().encode(message).length).toBeLessThan(MAX_PEER_MESSAGE);
        expect(/^[\uDC00-\uDFFF]/.test(data)).toBe(false);
      }
    }),
    { numRuns: 60 },
  );
});

test("W2 pasted text cannot end its own brackets", () => {
  expect(stripControls("\u001B[200~a\n201~\u009B200~")).toBe("a\n201~");
  expect(stripControls("a\tb\r\nc\u001B[201~rm\u0003\u009B201~\u007F 你好👍")).toBe(
    "a\tb\r\ncrm 你好👍",
  );
});

test("W2 a keystroke is one piece, and nothing is none", () => {
  expect([...splitInput("x")]).toEqual(["x"]);
  expect([...splitInput("")]).toEqual([]);
});

function paste(text: string, bracketedPasteMode: boolean, type: "normal" | "alternate" = "normal") {
  const got: string[] = [];
  const dialog = signal<Dialog | undefined>(undefined);
  const term = {
    paste: (data: string) => void got.push(data),
    modes: modes(bracketedPasteMode),
    buffer: { active: { type } },
  };
  pasteWithConfirmation(text, term, { dialog });
  const question = dialog.value?.kind === "confirm" ? dialog.value.question() : undefined;
  return { got, question };
}

const modes = (bracketedPasteMode: boolean) => ({
  applicationCursorKeysMode: false,
  applicationKeypadMode: false,
  bracketedPasteMode,
  insertMode: false,
  mouseTrackingMode: "none" as const,
  originMode: false,
  reverseWraparoundMode: false,
  sendFocusMode: false,
  synchronizedOutputMode: false,
  wraparoundMode: true,
});

test("WT52 several lines are asked about where a program would run them as they come", () => {
  expect(paste("one line", false).got).toEqual(["one line"]);
  expect(paste("a\nb\n", true).got).toEqual(["a\nb\n"]);
  const two = paste("a\r\nb\u001B[201~\n", false);
  expect([two.got, two.question?.title]).toEqual([[], "Paste 2 lines?"]);
  two.question?.run();
  expect(two.got).toEqual(["a\r\nb\n"]);
  expect(paste("rm x\n", false).question?.title).toBe("Paste and run this line?");
});

test("WT78 the line end behind a single copied line is not pasted at a prompt, and everywhere else it is", () => {
  for (const end of ["\n", "\r\n", "\r"]) expect(paste(`ls${end}`, true).got).toEqual(["ls"]);
  expect(paste("ls\n\n", true).got).toEqual(["ls\n\n"]);
  expect(paste("a\nb\n", true).got).toEqual(["a\nb\n"]);
  // A full-screen editor gets the text unchanged.
  expect(paste("ls\n", true, "alternate").got).toEqual(["ls\n"]);
  expect(paste("\n", true).got).toEqual([""]);
});

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
