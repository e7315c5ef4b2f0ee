// What the rounds call exact.

import { expect, test } from "vitest";
import { wrongLine } from "./lines.ts";

test("O15 every line once and in order is exact; a loss, a double and a cut line are not", () => {
  expect(wrongLine("go\r\n1\r\n2\r\n3\r\n", 3)).toBeUndefined();
  expect(wrongLine("1\n3\n", 3)).toBe("2 of 3 lines; 3 stands where 2 should");
  expect(wrongLine("1\n2\n2\n3\n", 3)).toBe("4 of 3 lines; 2 stands where 3 should");
  expect(wrongLine("1\n2\n", 3)).toBe("2 of 3 lines");
  expect(wrongLine("9\n10\n1", 11)).toBe("3 of 11 lines; 9 stands where 1 should");
});
