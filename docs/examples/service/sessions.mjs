// A development server in a persistent session: start, continue, list, stop.

import { TerminalService, tools } from "pairpty/service";

const terminal = new TerminalService({
  agentDefaults: { persistent: { minInterval: 0.1, settleInterval: 0.5, maxInterval: 10 } },
});

const agent = {
  id: "runner",
  confirm: () => true,
  execute: ({ tool, arguments: args }) =>
    tools.find(({ name }) => name === tool).execute(args, agent),
};
terminal.attach(agent);

const server = "echo Server starting; read answer; echo Server started: $answer; sleep 60";
const started = await agent.execute({
  tool: "terminal_start",
  // `until` answers as soon as the text is there, without waiting for silence.
  arguments: { command: server, until: "starting" },
});
console.log(started.text);

const continued = await agent.execute({
  tool: "terminal_continue",
  arguments: { sessionId: started.id, stdin: "y\n", until: "started" },
});
console.log(continued.output.includes("Server started: y"), continued.complete);
console.log(continued.position > started.position);

const listed = await agent.execute({ tool: "terminal_list", arguments: {} });
console.log(listed.text.split("\n")[0]);

const stopped = await agent.execute({
  tool: "terminal_stop",
  arguments: { sessionId: started.id },
});
console.log(stopped.text);

await terminal.stop();
