import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import type { Dialog } from "../session/store.ts";
import { pasted } from "./paste.ts";

function paste(text: string, bracketedPasteMode: boolean) {
  const got: string[] = [];
  const dialog = signal<Dialog | undefined>(undefined);
  const term = { paste: (data: string) => void got.push(data), modes: modes(bracketedPasteMode) };
  pasted(text, term, { dialog });
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

test("WT6 several lines are asked about where a program would run them as they come", () => {
  expect(paste("one line", false).got).toEqual(["one line"]);
  expect(paste("a\nb\n", true).got).toEqual(["a\nb\n"]);
  const two = paste("a\r\nb\u001B[201~\n", false);
  expect([two.got, two.question?.title]).toEqual([[], "Paste 2 lines?"]);
  two.question?.run();
  expect(two.got).toEqual(["a\r\nb[201~\n"]);
  expect(paste("rm x\n", false).question?.title).toBe("Paste a line and run it?");
});
