// The service with commands on this machine and with a custom provider.

import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { canSandbox } from "../../test/support/walls.ts";
import { findTaggedProcesses } from "../sweep.ts";
import { TerminalService } from "./terminal-service.ts";
import { tools } from "./service-tools.ts";
import type {
  Agent,
  Confirmation,
  ExecuteCommandOptions,
  ExecuteCommandResult,
  TerminalConfig,
} from "./types.ts";

const services: TerminalService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()));
});

function serviceIn(folder = realpathSync(tmpdir()), config: TerminalConfig = {}): TerminalService {
  const service = new TerminalService(config, { workingDirectory: folder });
  services.push(service);
  return service;
}

function temporary(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pairpty-service-test-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** New for each test, since a service keeps its state in them. */
let YES: Agent = { id: "" };
let ALONE: Agent = { id: "" };
beforeEach(() => {
  YES = { id: "yes", confirm: () => true };
  ALONE = { id: "alone" };
});

/** Returns an agent, and the questions that it was asked. */
function asked(answer: Agent["confirm"] = () => true) {
  const questions: Confirmation[] = [];
  const agent: Agent = {
    id: "asked",
    confirm: (question) => {
      questions.push(question);
      return answer?.(question) ?? false;
    },
  };
  return { agent, questions };
}

/** Records the calls of a custom provider. */
class Told {
  readonly calls: unknown[][] = [];
  result: ExecuteCommandResult = { ok: true, output: "x", exitCode: 0, stdout: "x", stderr: "" };

  async executeCommand(command: string, args: string[], options: ExecuteCommandOptions) {
    this.calls.push([command, args, options]);
    return this.result;
  }

  async runScript(script: string, options: ExecuteCommandOptions) {
    this.calls.push([script, options]);
    return this.result;
  }
}

test("Y50 the service has the documented properties and methods", () => {
  const service = serviceIn();
  expect([typeof service.name, typeof service.description]).toEqual(["string", "string"]);
  expect(service.defaultProvider).toBe(service.requireTerminalProviderByName("local"));
  expect(service.terminalProviderRegistry.getAllItemNames()).toEqual(["local"]);
  expect(service.run()).toBeUndefined();
  expect(service.defaultProvider.getIsolationLevel()).toBe("none");
});

describe("commands", () => {
  test("Y51 Y52 a line, a program and a program with words run, and their streams are apart", async () => {
    const service = serviceIn();
    const line = await service.executeCommand("echo out; echo err >&2; exit 3", [], {}, YES);
    expect(line).toMatchObject({ ok: false, exitCode: 3, stdout: "out\n", stderr: "err\n" });
    expect(line.output.split("\n").sort()).toEqual(["", "err", "out"]);
    expect(line.error).toBeUndefined();
    const program = await service.executeCommand("pwd", [], {}, ALONE);
    expect(program).toEqual({
      ok: true,
      output: `${realpathSync(tmpdir())}\n`,
      exitCode: 0,
      stdout: `${realpathSync(tmpdir())}\n`,
      stderr: "",
    });
    const words = await service.executeCommand("echo", ["$HOME", "a  b"], {}, ALONE);
    expect(words.stdout).toBe("$HOME a  b\n");
  });

  test("Y51 Y121 input, folder and script", async () => {
    const folder = temporary();
    const service = serviceIn(folder);
    const fed = await service.executeCommand("cat", [], { input: "a\nb" }, ALONE);
    expect(fed.stdout).toBe("a\nb");
    const elsewhere = await service.executeCommand("pwd", [], { workingDirectory: "/" }, ALONE);
    expect(elsewhere.stdout).toBe("/\n");
    const script = await service.runScript("cd /\npwd\n# done\n", {}, ALONE);
    expect(script).toMatchObject({ ok: true, stdout: "/\n" });
  });

  test("Y123 what cannot run says why, and a signal is told as shells tell it", async () => {
    const service = serviceIn();
    for (const [command, error] of [
      ["no-such-program", "Command not found: no-such-program"],
      ["", "The command is empty"],
      [" \n", "The command is empty"],
    ] as const) {
      const result = await service.executeCommand(command, [], {}, YES);
      expect(result).toMatchObject({ ok: false, exitCode: -1, error });
    }
    const nowhere = { workingDirectory: "/no-such-folder" };
    expect(await service.executeCommand("pwd", [], nowhere, ALONE)).toMatchObject({
      exitCode: -1,
      error: expect.stringContaining("/no-such-folder"),
    });
    const killed = await service.executeCommand("kill -TERM $$", [], {}, YES);
    expect(killed).toMatchObject({ ok: false, exitCode: 143, error: "Ended by SIGTERM" });
    for (const timeoutSeconds of [0, -1, Number.NaN, 1e9]) {
      const result = await service.executeCommand("pwd", [], { timeoutSeconds }, ALONE);
      expect(result).toMatchObject({ exitCode: -1, error: expect.stringContaining("timeoutSec") });
    }
  });

  test("Y53 a timeout ends the whole tree and says so", async () => {
    const folder = temporary();
    const service = serviceIn(folder);
    const command = 'sleep 60 & (setsid sleep 61 &) ; echo "$PAIRPTY_TERMINAL" ; sleep 62';
    const result = await service.executeCommand(command, [], { timeoutSeconds: 0.3 }, YES);
    expect(result).toMatchObject({
      ok: false,
      error: "Timed out after 0.3 s: the command and everything it started was killed",
    });
    const mark = result.stdout.trim();
    expect(mark).toMatch(/^run-/);
    expect(findTaggedProcesses(mark)).toEqual([]);
  });

  test("Y58 children get no secrets; variables are added and taken away", async () => {
    vi.stubEnv("MY_SECRET_TOKEN", "hunter2");
    vi.stubEnv("PLAIN", "here");
    onTestFinished(() => void vi.unstubAllEnvs());
    const service = serviceIn();
    const print = "echo ${MY_SECRET_TOKEN-none} ${PLAIN-none} ${ADDED-none} ${PAIRPTY_CONFIG-none}";
    const env = { ADDED: "yes", PLAIN: undefined };
    expect((await service.executeCommand(print, [], { env }, YES)).stdout).toBe(
      "none none yes none\n",
    );
    const open = new TerminalService(
      {},
      { environment: ["MY_SECRET_TOKEN"], workingDirectory: "/" },
    );
    services.push(open);
    const other = { id: "other", confirm: () => true };
    expect((await open.executeCommand(print, [], {}, other)).stdout).toBe(
      "hunter2 here none none\n",
    );
  });
});

describe("safety", () => {
  test.each([
    ["rm -rf /", "dangerous"],
    ["my_custom_script.sh", "unknown"],
    ["ls -la", "safe"],
    ["git status && ls | wc -l", "safe"],
    ["lsof", "unknown"],
    ["ls-all", "unknown"],
    ["./ls", "unknown"],
    ["echo $(rm -r x)", "dangerous"],
    ["ls\nsudo x", "dangerous"],
    ["ls & reboot", "dangerous"],
    ["f() { dd if=x; }; f", "dangerous"],
    ["ls; my_custom_script.sh", "unknown"],
  ])("Y54 the level of %j is %s", (line, level) => {
    expect(serviceIn().getCommandSafetyLevel(line)).toBe(level);
  });

  test("Y54 the program's own lists decide", () => {
    const service = serviceIn("/", { safeCommands: ["make"], dangerousCommands: ["deploy"] });
    const levels = ["make all", "ls", "make deploy", "sudo x"].map((line) =>
      service.getCommandSafetyLevel(line),
    );
    expect(levels).toEqual(["safe", "unknown", "dangerous", "unknown"]);
  });

  test("Y56 safe asks no one, unknown and dangerous ask, and no means no", async () => {
    const folder = temporary();
    const service = serviceIn(folder);
    const { agent, questions } = asked(({ level }) => level === "unknown");
    expect(await service.executeCommand("ls", [], {}, agent)).toMatchObject({ ok: true });
    expect(questions).toEqual([]);
    expect(await service.executeCommand("printf hi", [], {}, agent)).toMatchObject({
      stdout: "hi",
    });
    const refused = await service.executeCommand("rm", ["-r", "x y"], {}, agent);
    expect(refused).toMatchObject({
      ok: false,
      error: expect.stringContaining("A person denied this"),
    });
    expect(questions).toEqual([
      expect.objectContaining({ command: "printf hi", level: "unknown", timeoutSeconds: 10 }),
      expect.objectContaining({
        command: "rm -r 'x y'",
        level: "dangerous",
        timeoutSeconds: null,
        workingDirectory: folder,
        isolation: "none",
      }),
    ]);
    const alone = await service.executeCommand("printf hi", [], {}, ALONE);
    expect(alone).toMatchObject({
      ok: false,
      exitCode: -1,
      error: expect.stringMatching(/confirm/),
    });
  });

  test("Y57 what changed while a person was asked does not run", async () => {
    const folder = temporary();
    const tool = join(folder, "tool");
    writeFileSync(tool, "#!/bin/sh\necho one\n", { mode: 0o755 });
    const service = serviceIn(folder);
    const { agent } = asked(() => {
      rmSync(tool);
      return true;
    });
    const gone = await service.executeCommand("./tool", ["x"], {}, agent);
    expect(gone).toMatchObject({ ok: false, error: expect.stringContaining("not found") });
  });

  test("Y57 another program behind the same name is another command", async () => {
    const folder = temporary();
    const link = join(folder, "tool");
    symlinkSync("/bin/true", link);
    const service = serviceIn(folder);
    const { agent } = asked(() => {
      rmSync(link);
      symlinkSync("/bin/echo", link);
      return true;
    });
    const swapped = await service.executeCommand("./tool", ["x"], {}, agent);
    expect(swapped).toMatchObject({
      ok: false,
      exitCode: -1,
      error: expect.stringContaining("has changed since"),
    });
  });

  test("Y127 at most 32 commands run at once, and their places are given back", async () => {
    const service = serviceIn();
    const provider = new Told();
    let finish = () => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    provider.executeCommand = async () => {
      await finished;
      return provider.result;
    };
    service.registerTerminalProvider("slow", provider);
    service.setActiveTerminal("slow", YES);
    const all = Array.from({ length: 40 }, () => service.executeCommand("ls", [], {}, YES));
    const refused = all.slice(32);
    for (const result of await Promise.all(refused)) expect(result.error).toMatch(/32 commands/);
    finish();
    expect(await Promise.all(all.slice(0, 32))).toHaveLength(32);
    expect(await service.executeCommand("ls", [], {}, YES)).toMatchObject({ ok: true });
  });

  test("Y126 whoever was let go of while a person thought runs nothing", async () => {
    const service = serviceIn();
    const { agent } = asked(() => {
      service.detach(agent);
      return true;
    });
    expect(await service.executeCommand("printf x", [], {}, agent)).toMatchObject({ ok: false });
  });
});

describe("providers", () => {
  test("Y122 Y129 a program's provider is asked with the command as it was given, and 120 s", async () => {
    const service = serviceIn();
    const provider = new Told();
    service.registerTerminalProvider("mine", provider);
    service.setActiveTerminal("mine", YES);
    expect(await service.executeCommand("npm install", [], {}, YES)).toEqual(provider.result);
    await service.executeCommand("x", ["y z"], { timeoutSeconds: 5, env: { A: "b" } }, YES);
    await service.runScript("x\ny", { input: "i" }, YES);
    expect(provider.calls).toEqual([
      ["npm install", [], { timeoutSeconds: 120 }],
      ["x", ["y z"], { timeoutSeconds: 5, env: { A: "b" } }],
      ["x\ny", { timeoutSeconds: 120, input: "i" }],
    ]);
  });

  test("Y130 what a provider throws is the result's error", async () => {
    const service = serviceIn();
    const provider = new Told();
    provider.executeCommand = () => Promise.reject(new Error("no network"));
    service.registerTerminalProvider("mine", provider);
    service.setActiveTerminal("mine", YES);
    expect(await service.executeCommand("ls", [], {}, YES)).toMatchObject({
      ok: false,
      error: "no network",
    });
  });

  test("Y61 names that are not there are errors with those that are", () => {
    const service = serviceIn();
    expect(() => service.setActiveTerminal("x", YES)).toThrow(
      'There is no terminal provider "x". Available: local.',
    );
    expect(() => service.requireTerminalProviderByName("x")).toThrow(/no terminal provider/);
    const other = serviceIn("/", { agentDefaults: { provider: "later" } });
    expect(() => other.run()).toThrow(/no terminal provider "later"/);
    other.registerTerminalProvider("later", new Told());
    other.run();
    expect(other.requireActiveTerminal({ id: "a" })).toBe(other.defaultProvider);
  });

  test("Y139 Y140 a provider of the configuration is whatever is registered by its name, or by its type", async () => {
    const answer = (text: string) => async (): Promise<ExecuteCommandResult> => ({
      ok: true,
      output: text,
      exitCode: 0,
      stdout: text,
      stderr: "",
    });
    const service = serviceIn(undefined, {
      agentDefaults: { provider: "far" },
      providers: { far: { type: "ssh", host: "example.org" }, near: { type: "ssh" } },
    });
    expect(() => service.run()).toThrow(
      'The terminal provider "far" has the type "ssh", but no such provider is registered',
    );
    service.registerTerminalProvider("ssh", {
      executeCommand: answer("by type"),
      runScript: answer("by type"),
    });
    service.run();
    const output = async () => (await service.executeCommand("ls", [], {}, YES)).output;
    expect(await output()).toBe("by type");
    service.registerTerminalProvider("far", {
      executeCommand: answer("by name"),
      runScript: answer("by name"),
    });
    expect(await output()).toBe("by name");
    service.setActiveTerminal("near", YES);
    expect(await output()).toBe("by type");
    expect(() => service.setActiveTerminal("nowhere", YES)).toThrow(/Available: ssh, far/);
  });

  test("Y62 the documented example of a provider has two methods: the others say that it lacks them", () => {
    const service = serviceIn();
    service.registerTerminalProvider("mine", new Told());
    const provider = service.requireTerminalProviderByName("mine");
    expect(provider.getIsolationLevel()).toBe("none");
    expect(() => provider.startInteractiveSession({ timeoutSeconds: 1 })).toThrow(
      'The terminal provider "mine" has no startInteractiveSession(): it runs commands but has no sessions.',
    );
    expect(() => service.registerTerminalProvider("none", JSON.parse("{}"))).toThrow(
      'The terminal provider "none" has no executeCommand(), so it cannot run commands.',
    );
  });
});

describe("walls", () => {
  const providers = {
    local: { type: "local" },
    box: { type: "sandbox" },
    ship: { type: "container", image: "pairpty.invalid/none" },
  } as const;

  test("Y69 a sandbox's commands run behind it, and the unknown is not asked about", async ({
    skip,
  }) => {
    if (!(await canSandbox())) return skip();
    const folder = temporary();
    // Sandboxes keep their files in pairpty's state folder.
    vi.stubEnv("XDG_STATE_HOME", temporary());
    onTestFinished(() => void vi.unstubAllEnvs());
    const service = serviceIn(folder, { providers, agentDefaults: { provider: "box" } });
    const { agent, questions } = asked(() => false);
    expect(service.requireActiveTerminal(agent).getIsolationLevel()).toBe("sandbox");
    const line = "printf x > inside; test -e /etc/shadow || echo walled";
    const result = await service.executeCommand(line, [], {}, agent);
    expect(result).toMatchObject({ ok: true, stdout: "walled\n" });
    expect(readFileSync(join(folder, "inside"), "utf8")).toBe("x");
    expect(questions).toEqual([]);
    const dangerous = await service.executeCommand("rm -r inside", [], {}, agent);
    expect([dangerous.ok, questions]).toMatchObject([false, [{ isolation: "sandbox" }]]);
    return undefined;
  });

  test("Y137 a wall that cannot be had is an error, and nothing runs", async () => {
    const folder = temporary();
    const service = serviceIn(folder, { providers, agentDefaults: { provider: "ship" } });
    const result = await service.executeCommand("touch made", [], {}, YES);
    expect(result).toMatchObject({ ok: false, exitCode: -1, error: expect.any(String) });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("agents", () => {
  test("Y59 attaching gives an agent its slice: defaults, and its own settings over them", () => {
    const service = serviceIn("/", { agentDefaults: { bash: { timeoutSeconds: 20 } } });
    const agent: Agent = { id: "a", config: { terminal: { bash: { cropOutput: 5 } } }, state: {} };
    service.attach(agent);
    expect(service.stateOf(agent).serialize()).toEqual({
      providerName: "local",
      bash: { cropOutput: 5, timeoutSeconds: 20 },
      persistent: { minInterval: 1, settleInterval: 2, maxInterval: 30 },
    });
    expect(agent.state?.["terminal"]).toBe(service.stateOf(agent));
    const wrong: Agent = { id: "b", config: { terminal: { bash: { cropOutput: 0 } } } };
    expect(() => service.attach(wrong)).toThrow(/cropOutput: 0 is not/);
  });

  test("Y59 what an agent kept of an earlier life counts", () => {
    const service = serviceIn();
    service.registerTerminalProvider("mine", new Told());
    const before: Agent = { id: "a" };
    service.setActiveTerminal("mine", before);
    const kept = JSON.parse(JSON.stringify(service.stateOf(before).serialize()));
    const after: Agent = { id: "a", state: { terminal: kept } };
    service.attach(after);
    expect(service.requireActiveTerminal(after)).toBe(
      service.requireTerminalProviderByName("mine"),
    );
  });

  test("Y61 an agent without a provider is told so", () => {
    const service = serviceIn();
    service.stateOf(YES).providerName = null;
    expect(() => service.requireActiveTerminal(YES)).toThrow("No terminal provider is set for yes");
  });

  test("Y64 Y133 a service that was stopped runs nothing, and what ran has ended", async () => {
    const folder = temporary();
    const service = serviceIn(folder);
    const command = "echo $PAIRPTY_TERMINAL > mark; (setsid sleep 60 &); sleep 61";
    const running = service.executeCommand(command, [], {}, YES);
    const mark = join(folder, "mark");
    await vi.waitFor(() => expect(readFileSync(mark, "utf8")).not.toBe(""));
    await service.stop();
    expect(await running).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^The command was stopped/),
    });
    expect(findTaggedProcesses(readFileSync(mark, "utf8").trim())).toEqual([]);
    await expect(service.executeCommand("ls", [], {}, YES)).rejects.toThrow(/was stopped/);
  });

  test("Y64 a provider that cannot end keeps no other from ending, and is told", async () => {
    const service = new TerminalService({}, { workingDirectory: "/" });
    const closed: string[] = [];
    const provider = (name: string, close: () => Promise<void>) =>
      service.registerTerminalProvider(name, Object.assign(new Told(), { close }));
    provider("bad", () => Promise.reject(new Error("stuck")));
    provider("good", async () => void closed.push("good"));
    await expect(service.stop()).rejects.toMatchObject({ errors: [new Error("stuck")] });
    expect(closed).toEqual(["good"]);
  });

  test("Y63 an agent that another service has by now stays that one's", async () => {
    const [first, second] = [serviceIn(), serviceIn()];
    first.attach(ALONE);
    second.attach(ALONE);
    await first.stop();
    const [bash] = tools;
    expect(await bash?.execute({ command: "echo here" }, ALONE)).toMatchObject({
      stdout: "here\n",
    });
  });
});
