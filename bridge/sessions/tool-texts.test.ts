import { expect, test } from "vitest";
import {
  formatContinued,
  formatCropped,
  formatExit,
  findOutput,
  formatSessions,
  formatRun,
  formatStarted,
  formatStopped,
} from "./tool-texts.ts";

test("Y13 a started session is told in the documented form", () => {
  const text = formatStarted({
    id: "term-1",
    command: "npm run dev",
    position: 1024,
    output: "[initial output]",
  });
  expect(text).toBe(
    `Terminal Session Started
ID: term-1
Command: npm run dev
Position: 1024

Output:
[initial output]`,
  );
});

test("Y13 a continued session is told in the documented form", () => {
  const text = formatContinued({
    id: "term-1",
    position: 2048,
    complete: false,
    output: "[new output]",
  });
  expect(text).toBe(
    `Terminal Session: term-1
Position: 2048
Complete: false

Output:
[new output]`,
  );
});

test("Y13 a stopped session is told in the documented words", () => {
  expect(formatStopped("term-1")).toBe("Terminal session term-1 terminated.");
});

test("Y13 the list is the documented table", () => {
  const text = formatSessions([
    { id: "term-1", command: "npm run dev", position: 1024, running: true, uptimeSeconds: 45 },
    {
      id: "term-2",
      command: "python server.py",
      position: 2048,
      running: true,
      uptimeSeconds: 120,
    },
  ]);
  expect(text).toBe(
    `Active Terminal Sessions:
ID           | Command                        | Position | Running | Uptime
-------------|--------------------------------|----------|---------|--------
term-1       | npm run dev                    | 1024     | Yes     | 45s
term-2       | python server.py               | 2048     | Yes     | 120s`,
  );
  const long = { id: "term-3", command: `a\n${"x".repeat(40)}`, position: 0, running: false };
  expect(formatSessions([{ ...long, uptimeSeconds: 0 }]).split("\n")[3]).toBe(
    `term-3       | a ${"x".repeat(27)}… | 0        | No      | 0s`,
  );
  expect(formatSessions([])).toBe("No active terminal sessions.");
});

test("Y13 a command is told with its exit code and its output", () => {
  expect(formatRun({ exitCode: 1, signal: null }, "no\n")).toBe("Exit code: 1\n\nOutput:\nno\n");
  expect(formatExit({ exitCode: null, signal: "SIGKILL" })).toBe(
    "Exit code: none (ended by SIGKILL)",
  );
});

test("Y13 Y65 the output is found in both forms of a command's answer, whatever the command is", () => {
  const output = "one\n\nOutput:\ntwo\n";
  const command = "echo '\n\nOutput:\nno'";
  const started = formatStarted({ id: "term-1", command, position: 1, output });
  expect(findOutput(started, command)).toBe(output);
  expect(findOutput(formatRun({ exitCode: 0, signal: null }, output), command)).toBe(output);
  expect(findOutput("something else", command)).toBe("");
});

test("Y80 a cut says how much it is and which call reads the rest", () => {
  const cropped = { head: "first", cut: { from: 5, to: 105 }, tail: "last\n" };
  const reads = 'terminal_continue with sessionId "term-7" and position 5 reads on from there';
  expect(formatCropped(cropped, { id: "term-7", lost: 0 })).toBe(
    `first\n[cut: 100 bytes; ${reads}]\nlast\n`,
  );
  expect(formatCropped(cropped, { id: "term-7", lost: 40 })).toBe(
    `first\n[cut: 100 bytes; 60 of them are available; ${reads}]\nlast\n`,
  );
  expect(formatCropped(cropped, { id: "term-7", lost: 100 })).toBe(
    "first\n[cut: 100 bytes; no longer available]\nlast\n",
  );
  expect(formatCropped(cropped, { id: "term-7", lost: 0, failures: "not ok 4\n" })).toBe(
    `first\n[cut: 100 bytes; ${reads}; what looks like failures in it:]\nnot ok 4\n[end of the cut]\nlast\n`,
  );
});
