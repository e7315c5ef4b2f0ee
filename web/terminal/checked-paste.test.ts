import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import type { Dialog } from "../session/store.ts";
import { pasteWithConfirmation } from "./checked-paste.ts";

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
