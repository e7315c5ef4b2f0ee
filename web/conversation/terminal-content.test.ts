import { expect, test } from "vitest";
import { stripSequences } from "./terminal-content.tsx";

test("AC140 what no emulator draws is text without sequences, lines as they were left", () => {
  expect(stripSequences("\u001B[1;31mred\u001B[0m\r\n\u001B]0;title\u0007next")).toBe("red\nnext");
  expect(stripSequences("10%\r50%\r100%\r\ndone\u0008\n")).toBe("100%\ndone\n");
  expect(stripSequences("\u001B(Ba\u001B=b\u001B]8;;http://x\u001B\\link\u001B]8;;\u001B\\")).toBe(
    "ablink",
  );
  expect(stripSequences("tab\there\u009B31m")).toBe("tab\there31m");
});
