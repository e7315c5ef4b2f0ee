// A conversation with a Python shell.

import { TerminalService, tools } from "pairpty/service";

const terminal = new TerminalService({
  agentDefaults: { persistent: { minInterval: 0.1, settleInterval: 1, maxInterval: 10 } },
});

const agent = {
  id: "pythonist",
  confirm: () => true,
  execute: ({ tool, arguments: args }) =>
    tools.find(({ name }) => name === tool).execute(args, agent),
};
terminal.attach(agent);

const { id } = await agent.execute({
  tool: "terminal_start",
  arguments: { command: "python3 -q", until: ">>>" },
});

const hello = await agent.execute({
  tool: "terminal_continue",
  arguments: { sessionId: id, stdin: 'print("Hello from Python")\n' },
});
console.log(hello.output.includes("\nHello from Python\n"));

const sum = await agent.execute({
  tool: "terminal_continue",
  arguments: { sessionId: id, stdin: "x = 42\nprint(x * 2)\n" },
});
console.log(sum.output.includes("\n84\n"));

// Keys have names: Ctrl-D ends the shell.
const ended = await agent.execute({
  tool: "terminal_continue",
  arguments: { sessionId: id, stdin: "<C-d>" },
});
console.log(ended.complete, ended.exitCode);

await terminal.stop();
