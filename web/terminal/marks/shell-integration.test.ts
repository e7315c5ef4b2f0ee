import { expect, test } from "vitest";
import { parseMark } from "./shell-integration.ts";

test("WT7 a shell's marks are read with what shells add to them", () => {
  expect(parseMark("A")).toEqual({ is: "prompt" });
  expect(parseMark("A;cl=m;aid=123")).toEqual({ is: "prompt" });
  expect(parseMark("C;cmdline_url=ls")).toEqual({ is: "output" });
  expect(parseMark("D")).toEqual({ is: "end", failed: false, code: 0 });
  expect(parseMark("D;0")).toEqual({ is: "end", failed: false, code: 0 });
  expect(parseMark("D;130;aid=1")).toEqual({ is: "end", failed: true, code: 130 });
  expect(parseMark("D;aid=1")).toEqual({ is: "end", failed: false, code: 0 });
  for (const other of ["B", "P;k=i", "", "Z", "DD;1"])
    expect(parseMark(other), other).toBeUndefined();
});
