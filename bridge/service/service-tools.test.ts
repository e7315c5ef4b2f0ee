// The session tools for agents of a program, over custom providers and commands on this machine.
// test/product/service.test.ts uses real terminals.

import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterEach, describe, expect, test } from "vitest";
import packaged, { createPlugin, plugin, TerminalService, tools } from "./index.ts";
import type {
  Agent,
  Confirmation,
  ExecuteCommandOptions,
  ExecuteCommandResult,
  InteractiveTerminalOutput,
  SessionStatus,
  TerminalProvider,
  TerminalTool,
} from "./types.ts";
import { SESSION_TOOLS } from "../../test/support/tool-names.ts";

const services: TerminalService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.stop()));
});

const QUICK = { minInterval: 0, settleInterval: 0.25, maxInterval: 5 };

/** Echoes its input, as a program in a terminal would. */
class Talker implements TerminalProvider {
  readonly calls: string[] = [];
  readonly ended: string[] = [];
  text = "";
  isOver = false;
  answer: (input: string) => string = (input) => `you said ${input}`;
  startCommandSession?: (command: string) => Promise<string>;

  async executeCommand(command: string, _args: string[], options: ExecuteCommandOptions) {
    this.calls.push(`${command} ${JSON.stringify(options)}`);
    return { ok: false, output: "ab", exitCode: 4, stdout: "a", stderr: "b" };
  }

  async runScript(): Promise<ExecuteCommandResult> {
    throw new Error("not asked for");
  }

  async startInteractiveSession(options: ExecuteCommandOptions): Promise<string> {
    this.calls.push(`start ${JSON.stringify(options)}`);
    return "s1";
  }

  async sendInput(id: string, input: string): Promise<void> {
    this.calls.push(`${id}: ${input}`);
    this.text += this.answer(input);
  }

  async collectOutput(_id: string, from: number): Promise<InteractiveTerminalOutput> {
    const { text, isOver } = this;
    const exit = isOver ? { exitCode: 7 } : {};
    return { output: text.slice(from), newPosition: text.length, isComplete: isOver, ...exit };
  }

  async terminateSession(id: string): Promise<void> {
    this.ended.push(id);
  }

  getSessionStatus(): SessionStatus | null {
    return null;
  }

  getIsolationLevel() {
    return "none" as const;
  }
}

function attached(provider?: TerminalProvider, confirm: Agent["confirm"] = () => true) {
  const service = new TerminalService(
    { agentDefaults: { persistent: QUICK } },
    { workingDirectory: realpathSync(tmpdir()) },
  );
  services.push(service);
  const agent: Agent = { id: "a", confirm };
  service.attach(agent);
  if (provider !== undefined) {
    service.registerTerminalProvider("mine", provider);
    service.setActiveTerminal("mine", agent);
  }
  return { service, agent, run: (name: string, args = {}) => findTool(name).execute(args, agent) };
}

function findTool(name: string): TerminalTool {
  return tools.find((tool) => tool.name === name) ?? expect.unreachable(name);
}

test("Y63 there are the documented five tools, with arguments that a model can be told", () => {
  expect(tools.map(({ name }) => name)).toEqual(SESSION_TOOLS);
  expect(findTool("bash").inputSchema).toMatchObject({ required: ["command"] });
  expect(findTool("terminal_continue").inputSchema).toMatchObject({ required: ["sessionId"] });
});

describe("bash", () => {
  test("Y63 Y56 asks about what is not safe, crops, and tells exit code and streams", async () => {
    const questions: Confirmation[] = [];
    const { service, agent, run } = attached(undefined, (question) => {
      questions.push(question);
      return question.level === "unknown";
    });
    service.stateOf(agent).bash.cropOutput = 100;
    const calls = await run("bash", { command: "printf %0200d 0; echo e >&2; exit 3" });
    expect(calls).toMatchObject({ isError: false, ok: false, exitCode: 3, stderr: "e\n" });
    expect(calls.text).toMatch(/^Exit code: 3\n\nOutput:\n0+\n\[cut: \d+ bytes; [^]*sessionId/);
    expect(questions).toMatchObject([{ level: "unknown", timeoutSeconds: 10 }]);
    const refused = await run("bash", { command: "rm -rf x" });
    expect(refused).toMatchObject({
      isError: true,
      text: expect.stringContaining("A person denied this"),
    });
  });

  test("Y63 the tool's timeout is the agent's: 60 s unless set, and it ends the command", async () => {
    const { service, agent, run } = attached();
    expect(service.stateOf(agent).bash.timeoutSeconds).toBe(60);
    service.stateOf(agent).bash.timeoutSeconds = 0.2;
    const calls = await run("bash", { command: "sleep 60" });
    expect(calls).toMatchObject({ ok: false, error: expect.stringContaining("after 0.2 s") });
  });

  test("Y63 arguments that do not fit run nothing", async () => {
    const { run } = attached();
    for (const args of [{}, { command: "" }, { command: 7 }, { command: "ls", shell: "x" }]) {
      expect(await run("bash", args)).toMatchObject({
        isError: true,
        text: expect.stringMatching(/^bash: /),
      });
    }
    expect(await run("bash", { command: " " })).toMatchObject({ text: "The command is empty" });
    const denied = await run("bash", { command: "ls", isolation: "container" });
    expect(denied.text).toMatch(/provider has isolation none/);
  });

  test("Y129 a provider of a program gets the line, and its answer is the tool's", async () => {
    const provider = new Talker();
    const { run } = attached(provider);
    const args = { command: "make all", stdin: "x", env: { A: "b" }, workingDirectory: "/" };
    expect(await run("bash", args)).toMatchObject({
      ok: false,
      exitCode: 4,
      stdout: "a",
      stderr: "b",
      output: "ab",
      text: "Exit code: 4\n\nOutput:\nab",
    });
    const options = { timeoutSeconds: 60, workingDirectory: "/", env: { A: "b" }, input: "x" };
    expect(provider.calls).toEqual([`make all ${JSON.stringify(options)}`]);
  });

  test("Y63 an agent that is attached to no service is told so", async () => {
    await expect(findTool("bash").execute({ command: "ls" }, { id: "x" })).rejects.toThrow(
      "x is not attached to a terminal service",
    );
  });
});

describe("sessions of a provider that a program wrote", () => {
  test("Y63 the command is typed into its shell, and only what is new is told", async () => {
    const provider = new Talker();
    const { service, agent, run } = attached(provider);
    const started = await run("terminal_start", { command: "make watch" });
    expect(started.text).toBe(
      "Terminal Session Started\nID: term-1\nCommand: make watch\nPosition: 20\n\nOutput:\nyou said make watch\n",
    );
    expect(provider.calls).toEqual(['start {"timeoutSeconds":0}', "s1: make watch\n"]);
    const more = await run("terminal_continue", { sessionId: "term-1", stdin: "y\n" });
    expect(more).toMatchObject({ output: "you said y\n", position: 31, complete: false });
    expect(service.stateOf(agent).sessions).toMatchObject([
      { id: "term-1", command: "make watch", position: 31, running: true },
    ]);
    const list = await run("terminal_list");
    expect(list.text).toMatch(/^term-1 +\| make watch +\| 31 +\| Yes +\| \d+s$/m);
    provider.text += "bye\n";
    provider.isOver = true;
    const end = await run("terminal_continue", { sessionId: "term-1" });
    expect(end).toMatchObject({ output: "bye\n", complete: true, exitCode: 7 });
    expect(await run("terminal_list")).toMatchObject({ text: "No active terminal sessions." });
  });

  test("Y63 one that starts commands by itself is asked for that", async () => {
    const provider = new Talker();
    provider.startCommandSession = async (command) => {
      provider.calls.push(`command ${command}`);
      return "s2";
    };
    const { run } = attached(provider);
    expect(await run("terminal_start", { command: "make", stdin: "<C-c>" })).toMatchObject({
      id: "term-1",
    });
    expect(provider.calls).toEqual(["command make", "s2: \u0003"]);
  });

  test("Y131 what is typed may reach its shell: every line is judged and asked about", async () => {
    const provider = new Talker();
    const asked: string[] = [];
    const { run } = attached(provider, ({ command, level }) => {
      asked.push(`${level} ${command}`);
      return !command.includes("rm");
    });
    const { id } = await run("terminal_start", { command: "make" });
    const typed = await run("terminal_continue", { sessionId: id, stdin: "rm -rf /\n" });
    expect(typed).toMatchObject({
      isError: true,
      text: expect.stringContaining("A person denied this"),
    });
    await run("terminal_continue", { sessionId: id, stdin: "yes\n" });
    expect(asked).toEqual(["unknown make", "dangerous rm -rf /", "unknown yes"]);
    expect(provider.calls.at(-1)).toBe("s1: yes\n");
  });

  test("Y62 a provider without sessions is told as that", async () => {
    const provider = new Talker();
    const { service, agent, run } = attached();
    const two = {
      executeCommand: provider.executeCommand.bind(provider),
      runScript: provider.runScript.bind(provider),
    };
    service.registerTerminalProvider("two", two);
    service.setActiveTerminal("two", agent);
    expect(await run("terminal_start", { command: "ls" })).toMatchObject({
      isError: true,
      text: expect.stringContaining('"two" has no startInteractiveSession()'),
    });
    expect(await run("bash", { command: "ls" })).toMatchObject({ exitCode: 4 });
  });

  test("Y60 a reset of the chat, and the service's end, terminate them", async () => {
    const provider = new Talker();
    const { service, agent, run } = attached(provider);
    await run("terminal_start", { command: "make" });
    service.stateOf(agent).reset(["chat"]);
    expect(await run("terminal_list")).toMatchObject({ text: "No active terminal sessions." });
    expect(provider.ended).toEqual(["s1"]);
    await run("terminal_start", { command: "make" });
    await service.stop();
    expect(provider.ended).toEqual(["s1", "s1"]);
  });

  test("Y63 another agent's session is not found", async () => {
    const { service, run } = attached(new Talker());
    const { id } = await run("terminal_start", { command: "make" });
    const other: Agent = { id: "b" };
    service.attach(other);
    const args = { sessionId: id };
    for (const name of ["terminal_continue", "terminal_stop"]) {
      const calls = await findTool(name).execute(args, other);
      expect(calls).toMatchObject({ isError: true, text: expect.stringContaining("not found") });
    }
  });

  test("Y63 a provider that fails in the middle ends its session with its words", async () => {
    const provider = new Talker();
    const { run } = attached(provider);
    await run("terminal_start", { command: "make" });
    provider.collectOutput = () => Promise.reject(new Error("the machine is gone"));
    const calls = await run("terminal_continue", { sessionId: "term-1" });
    expect(calls).toMatchObject({ complete: true, output: "the machine is gone\n" });
  });
});

describe("plugin", () => {
  class Chat {
    readonly tools: TerminalTool[] = [];
    addTools(more: readonly TerminalTool[]) {
      this.tools.push(...more);
    }
  }

  function app() {
    const added: object[] = [];
    const chat = new Chat();
    return {
      added,
      chat,
      addServices: (service: object) => void added.push(service),
      waitForService: (_type: unknown, callback: (service: never) => void) =>
        void Reflect.apply(callback, undefined, [chat]),
    };
  }

  test("Y66 Y138 it adds the service and hands the tools to whoever gives them to agents", () => {
    const one = app();
    createPlugin(Chat).install(one, { terminal: {} });
    expect(one.added).toEqual([expect.any(TerminalService)]);
    expect(one.chat.tools).toEqual(tools);
  });

  /** An application with its own chat service, which it finds by its type. */
  function appWith(...present: readonly object[]) {
    const added: object[] = [...present];
    return {
      added,
      addServices: (service: object) => void added.push(service),
      waitForService: (type: abstract new () => unknown, callback: (service: never) => void) =>
        void Reflect.apply(callback, undefined, [added.find((one) => one instanceof type)]),
    };
  }

  test("Y71 the plain plugin adds its tools where the application has a chat service", () => {
    const chat = new Chat();
    const one = appWith({ name: "Other" }, chat);
    plugin.install(one, { terminal: { agentDefaults: { provider: "local" } } });
    expect(one.added.at(-1)).toBeInstanceOf(TerminalService);
    expect(chat.tools).toEqual(tools);
    const without = appWith({ name: "Other" });
    plugin.install(without, { terminal: {} });
    expect(without.added).toHaveLength(2);
    const { addServices } = appWith();
    expect(() => plugin.install({ addServices }, { terminal: {} })).not.toThrow();
  });

  test("Y70 the package's default export is the service, and the plugin that an application installs", () => {
    const service = new packaged({ agentDefaults: { provider: "local" } });
    services.push(service);
    expect(service).toBeInstanceOf(TerminalService);
    const { name, version, description } = packaged;
    expect({ name, version, description }).toEqual({
      name: plugin.name,
      version: plugin.version,
      description: plugin.description,
    });
    const chat = new Chat();
    const one = appWith(chat);
    packaged.install(one, packaged.config.parse({ terminal: {} }));
    expect([one.added.length, chat.tools.length]).toEqual([2, tools.length]);
    packaged.install(one, {});
    expect(one.added).toHaveLength(2);
  });

  test("Y136 without a configuration it adds nothing, and one that does not fit is an error", () => {
    const one = app();
    createPlugin(Chat).install(one, {});
    expect([one.added, one.chat.tools]).toEqual([[], []]);
    expect(plugin).toMatchObject({
      name: expect.any(String),
      version: expect.stringMatching(/^\d/),
      description: expect.any(String),
    });
    const config = { terminal: { safeCommands: ["ls"] } };
    expect(plugin.config.parse(config)).toEqual(config);
    expect(() => plugin.config.parse({ terminal: { safe: [] } })).toThrow(/unknown setting/);
    expect(() => plugin.config.parse(null)).toThrow(/not an object/);
  });
});
