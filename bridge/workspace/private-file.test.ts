import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writePrivateFile } from "./private-file.ts";

/** Simulates a nearly full disk: the first write is short, without an error. */
function withFilesUpTo(bytes: number, run: () => void): void {
  const limit = (soft: string) =>
    execFileSync("prlimit", [`--pid=${process.pid}`, `--fsize=${soft}:`]);
  const ignore = () => {};
  process.on("SIGXFSZ", ignore);
  limit(String(bytes));
  try {
    run();
  } finally {
    limit("unlimited");
    process.off("SIGXFSZ", ignore);
  }
}

test("C59 a file that does not fit any more stays what it was, and no part of the next is left", () => {
  const folder = mkdtempSync(join(tmpdir(), "pp-private-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "kept.json");
  writePrivateFile(path, "before");
  withFilesUpTo(50_000, () => {
    expect(() => writePrivateFile(path, "x".repeat(100_000))).toThrow("EFBIG");
  });
  expect(readFileSync(path, "utf8")).toBe("before");
  expect(readdirSync(folder)).toEqual(["kept.json"]);
});
