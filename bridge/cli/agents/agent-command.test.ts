// How `pairpty agent` ends, in words and codes; its process; its settings behind a wall.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AGENT_TAG_ENV } from "../../doors/acp/agent-lines.ts";
import { ExitCode } from "../../errors.ts";
import { isRunning, recordProcess } from "../../processes/process-record.ts";
import { guessAgentName, toEndError } from "./agent-texts.ts";
import { AgentProcess } from "./agent-process.ts";
import { listPackageFolders, listAgentSettings } from "./agent-isolation.ts";
import type { AgentEnd } from "./agent-process.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pp-agent-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const start = (...argv: [string, ...string[]]) =>
  AgentProcess.start({ argv, cwd: folder, env: process.env }, join(folder, "agent.log"));

test.each<[AgentEnd, number | undefined, RegExp]>([
  [{ is: "stopped" }, undefined, /^$/],
  [{ is: "turn", reason: "end_turn" }, undefined, /^$/],
  [{ is: "turn", reason: "refusal" }, ExitCode.agent, /the turn of coder ended with refusal/],
  [{ is: "no turn", error: "no login" }, ExitCode.agent, /did not finish its turn: no login/],
  [
    { is: "bridge", sentence: "it spoke \u001B[2J" },
    ExitCode.agent,
    /closed coder: it spoke \\u001b/,
  ],
  [{ is: "bridge" }, ExitCode.unavailable, /pairpty stopped, so coder stopped too/],
  [{ is: "agent", how: "exit code 0", hasSpoken: true }, undefined, /^$/],
  [
    { is: "agent", how: "exit code 0", hasSpoken: false },
    ExitCode.agent,
    /exited \(code 0\) before starting up/,
  ],
  [{ is: "agent", how: "SIGSEGV", hasSpoken: true }, ExitCode.agent, /coder exited \(SIGSEGV\)/],
])("AC45 AC117 %o is told with exit code %o", (end, code, words) => {
  const problem = toEndError(end, { label: "coder", log: "/x/agent.log", lastLines: ["no key"] });
  expect(problem?.exitCode).toBe(code);
  expect(problem?.message ?? "").toMatch(words);
  if (end.is === "agent" && problem !== undefined) {
    expect(problem.hint).toBe("Its last output:\n        no key\n      /x/agent.log");
  }
});

test("AC117 a program that is not there, or is none, is told in a sentence", async () => {
  await expect(start("nosuch-agent")).rejects.toMatchObject({
    exitCode: ExitCode.agent,
    message: "the agent's program was not found: nosuch-agent",
  });
  const text = join(folder, "text");
  writeFileSync(text, "no program", { mode: 0o644 });
  await expect(start(text)).rejects.toMatchObject({
    message: `the agent ${text} cannot be started: it is not executable`,
  });
});

test("AC46 its standard error goes to a log of its own, and the last lines are kept", async () => {
  const agent = await start("sh", "-c", "seq 1 30 >&2; exit 4");
  expect(await agent.ended).toBe("exit code 4");
  expect(agent.lastLines).toEqual(["21", "22", "23", "24", "25", "26", "27", "28", "29", "30"]);
  expect(readFileSync(join(folder, "agent.log"), "utf8")).toMatch(/^1\n2\n[^]*\n30\n$/);
  await agent.end();
});

test("AC113 its end is the end of everything that it started, whatever it ignores", async () => {
  const script = [
    "trap '' TERM HUP",
    `setsid sh -c 'trap "" TERM HUP; echo $$ > ${folder}/apart; while :; do sleep 5; done' &`,
    `env -i setsid sh -c 'trap "" TERM HUP; echo $$ > ${folder}/bare; while :; do sleep 5; done' &`,
    `sh -c 'echo $$ > ${folder}/beside; while :; do sleep 5; done' &`,
    "while :; do sleep 5; done",
  ].join("\n");
  const agent = await start("sh", "-c", script);
  const pids = await vi.waitFor(() =>
    ["apart", "bare", "beside"].map((name) => {
      const pid = Number(readFileSync(join(folder, name), "utf8"));
      return pid > 0 ? recordProcess(pid) : expect.unreachable();
    }),
  );
  expect(pids.map(isRunning)).toEqual([true, true, true]);
  await agent.end();
  await vi.waitFor(() => expect(pids.map(isRunning)).toEqual([false, false, false]));
});

test("AC43 it gets the caller's environment, its mark, and no mark of a terminal", async () => {
  const out = join(folder, "env");
  const env = { ...process.env, PAIRPTY_TERMINAL: "pty-1@x", SOME_API_KEY: "k" };
  const argv = ["sh", "-c", `env > ${out}.new; mv ${out}.new ${out}`] as const;
  const agent = await AgentProcess.start({ argv, cwd: folder, env }, join(folder, "agent.log"));
  await agent.ended;
  expect(existsSync(out)).toBe(true);
  const got = readFileSync(out, "utf8").split("\n");
  expect(got).toContain("SOME_API_KEY=k");
  expect(got).toContain(`${AGENT_TAG_ENV}=${agent.tag}`);
  expect(got.filter((line) => line.startsWith("PAIRPTY_TERMINAL"))).toEqual([]);
  await agent.end();
});

test("AC47 behind a wall an agent has its own settings: those that it names, and those it is known by", () => {
  expect(listAgentSettings(["/opt/bin/claude-code-acp"], {}, "/h")).toEqual([
    "/h/.claude",
    "/h/.claude.json",
  ]);
  expect(listAgentSettings(["npx", "@google/gemini-cli", "--acp"], {}, "/h")).toEqual([
    "/h/.gemini",
  ]);
  expect(listAgentSettings(["node", "x.mjs"], { CODEX_HOME: "/c" }, "/h")).toEqual(["/c"]);
  expect(listAgentSettings(["make", "the", "claude"], {}, "/h")).toEqual([
    "/h/.claude",
    "/h/.claude.json",
  ]);
  expect(listAgentSettings(["pick"], {}, "/h")).toEqual([]);
});

test.each([
  [["claude-code-acp"], "claude-code-acp"],
  [["npx", "-y", "@zed-industries/claude-code-acp@0.16.2"], "claude-code-acp"],
  [["/usr/bin/node", "--inspect", "/x/my-agent.mjs", "--acp"], "my-agent"],
  [["env", "KEY=1", "gemini", "--experimental-acp"], "gemini"],
  [["uvx", "fast-agent-acp"], "fast-agent-acp"],
  [["node"], "node"],
])("AC40 %o is called %s", (words, name) => {
  expect(guessAgentName(words)).toBe(name);
});

test("AC47 behind a wall it reads the packages of its program and of its script, never the home", () => {
  const [real, home] = [realpathSync(folder), join(realpathSync(folder), "home")];
  for (const path of ["lib/node_modules/x/dist", "repo/bin", "home/bin", "alone"]) {
    mkdirSync(join(real, path), { recursive: true });
    writeFileSync(join(real, path, "file"), "");
  }
  writeFileSync(join(real, "repo", "package.json"), "{}");
  symlinkSync(join(real, "lib/node_modules/x/dist/file"), join(real, "link"));
  const read = (...paths: string[]) =>
    listPackageFolders(
      paths.map((path) => join(real, path)),
      home,
    );
  expect(read("link")).toEqual([join(real, "lib/node_modules")]);
  expect(read("repo/bin/file", "missing")).toEqual([join(real, "repo")]);
  expect(read("alone/file", "home/bin/file")).toEqual([join(real, "alone"), join(home, "bin")]);
  writeFileSync(join(home, "file"), "");
  writeFileSync(join(real, "file"), "");
  expect(read("home/file", "file")).toEqual([]);
});
