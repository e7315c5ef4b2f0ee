import { expect, test } from "vitest";
import { withoutSequences } from "./output.ts";

test("AC140 what no emulator draws is text without sequences, lines as they were left", () => {
  expect(withoutSequences("\u001B[1;31mred\u001B[0m\r\n\u001B]0;title\u0007next")).toBe(
    "red\nnext",
  );
  expect(withoutSequences("10%\r50%\r100%\r\ndone\u0008\n")).toBe("100%\ndone\n");
  expect(
    withoutSequences("\u001B(Ba\u001B=b\u001B]8;;http://x\u001B\\link\u001B]8;;\u001B\\"),
  ).toBe("ablink");
  expect(withoutSequences("tab\there\u009B31m")).toBe("tab\there31m");
});
