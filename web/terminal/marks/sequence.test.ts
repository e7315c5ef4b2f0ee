import { expect, test } from "vitest";
import { markOf } from "./sequence.ts";

test("WT7 a shell's marks are read with what shells add to them", () => {
  expect(markOf("A")).toEqual({ is: "prompt" });
  expect(markOf("A;cl=m;aid=123")).toEqual({ is: "prompt" });
  expect(markOf("C;cmdline_url=ls")).toEqual({ is: "output" });
  expect(markOf("D")).toEqual({ is: "end", failed: false, code: 0 });
  expect(markOf("D;0")).toEqual({ is: "end", failed: false, code: 0 });
  expect(markOf("D;130;aid=1")).toEqual({ is: "end", failed: true, code: 130 });
  expect(markOf("D;aid=1")).toEqual({ is: "end", failed: false, code: 0 });
  for (const other of ["B", "P;k=i", "", "Z", "DD;1"]) expect(markOf(other), other).toBeUndefined();
});
