// An agent's tools: the agent's framework looks them up by name and hands their text to the model.

import { TerminalService, tools } from "pairpty/service";

const terminal = new TerminalService({
  agentDefaults: { provider: "local", bash: { cropOutput: 200, timeoutSeconds: 30 } },
});

const agent = {
  id: "reader",
  execute: ({ tool, arguments: args }) =>
    tools.find(({ name }) => name === tool).execute(args, agent),
};
terminal.attach(agent);

const result = await agent.execute({ tool: "bash", arguments: { command: "echo hello; pwd" } });
console.log(result.output.split("\n")[0]);
console.log(result.text.split("\n")[0]);

// This agent has no confirm(), so what is not known to be safe does not run.
const refused = await agent.execute({ tool: "bash", arguments: { command: "make" } });
console.log(refused.isError, refused.text);

// More than 200 characters: the middle is cut, and the mark says how to read it.
const long = await agent.execute({ tool: "bash", arguments: { command: "git help --all" } });
console.log(/\[cut: \d+ bytes; [^\]]+\]/.test(long.output));

await terminal.stop();
