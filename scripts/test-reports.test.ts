import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { choosePart, CI_PART, SKIPS, WITH_TOOLS } from "./test-parts.mjs";
import {
  compareSkips,
  formatSecondTry,
  hasCounterexample,
  mergeReports,
  RACES,
} from "./test-reports.mjs";

test("X26 a test that needed a second try is named, with its cause where that is known", () => {
  const file = {
    message: "",
    assertionResults: [
      { fullName: "R1 one", status: "passed" },
      { fullName: "R2 two", status: "failed" },
    ],
  };
  expect(formatSecondTry("test/a.test.ts", file)).toEqual([
    "passed at the second try: test/a.test.ts: R2 two (cause not known: mend it)",
  ]);
  const races = [{ file: "test/a.test.ts", test: "R2 two", cause: "a slow start" }];
  expect(formatSecondTry("test/a.test.ts", file, races)).toEqual([
    "passed at the second try: test/a.test.ts: R2 two (a slow start)",
  ]);
  expect(formatSecondTry("test/b.test.ts", { message: "no such file\nat x" })).toEqual([
    "passed at the second try: test/b.test.ts: no such file (cause not known: mend it)",
  ]);
});

test("X7 a counterexample is no race: its file gets no second try", () => {
  const failed = (text: string) => ({ assertionResults: [{ failureMessages: [text] }] });
  expect(hasCounterexample(failed("Error: Property failed after 3 tests\n{ seed: 1 }"))).toBe(true);
  expect(hasCounterexample(failed("AssertionError: waited 30000 ms"))).toBe(false);
});

test("X26 the list of known races is empty", () => {
  expect(RACES).toEqual([]);
});

test("X7 the kept report has each file's last try", () => {
  const first = { testResults: [{ name: "a", status: "failed" }, { name: "b" }] };
  const second = { testResults: [{ name: "a", status: "passed" }] };
  expect(mergeReports(first, second).testResults).toEqual([
    { name: "a", status: "passed" },
    { name: "b" },
  ]);
  expect(mergeReports(first, undefined)).toBe(first);
});

test("X27 a fresh machine skips what is declared and nothing else", () => {
  const files = [
    { file: "a", skipped: 2 },
    { file: "b", skipped: 0 },
  ];
  expect(compareSkips(files, { a: "vim" })).toEqual([]);
  expect(compareSkips(files, {})).toEqual(["a skips 2 tests and is not declared to"]);
  expect(compareSkips(files, { a: "vim", b: "less" })).toEqual([
    "b is declared to skip tests and skips none",
  ]);
});

test("X8 X9 CI runs every test as on a fresh machine, then with programs, and the relay's rules as deployed", () => {
  const steps = readFileSync(".ci/run", "utf8").split("\n");
  const wanted = [
    "export TEST_PART=all",
    'node scripts/fresh-machine.mjs --rest="$rest"',
    'npm test -- "${with_tools[@]}"',
    "start_aside npm run test:deployed",
  ];
  expect(steps.filter((step) => wanted.includes(step))).toEqual(wanted);
});

test("X8 what skips tests without programs, or looks for them, runs with them too", () => {
  const seeking = findTests().filter((file) =>
    /^import .*support\/tools\.ts"/m.test(readFileSync(file, "utf8")),
  );
  expect(seeking).toContain("test/product/screens.test.ts");
  const left = [...Object.keys(SKIPS), ...seeking].filter(
    (file) => !WITH_TOOLS.some((part) => file.startsWith(part)),
  );
  expect(left).toEqual([]);
});

test("X40 only the short run leaves tests out, and each that is left out is there", () => {
  expect(choosePart([], {})).toBe("local");
  expect(choosePart(["--bail=1"], {})).toBe("local");
  expect(choosePart(["test/product/package.test.ts"], {})).toBe("all");
  expect(choosePart([], { CI: "true" })).toBe("all");
  expect(choosePart([], { TEST_PART: "all" })).toBe("all");
  const all = findTests();
  expect(Object.keys(CI_PART).filter((file) => !all.includes(file))).toEqual([]);
});

/** Returns the path of each test file. */
function findTests(): string[] {
  const parts = ["bench", "bridge", "protocol", "relay", "scripts", "test", "web"];
  return parts.flatMap((part) =>
    readdirSync(part, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => `${part}/${name}`),
  );
}
