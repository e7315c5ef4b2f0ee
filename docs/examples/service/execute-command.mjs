// Runs a command for an agent and prints what came of it.

import { TerminalService } from "pairpty/service";

const terminal = new TerminalService({ agentDefaults: { provider: "local" } });

// All that the service needs of an agent: an id, and a way to ask a person.
const agent = {
  id: "builder",
  confirm: async (question) => {
    console.log(question.message);
    return question.level === "unknown";
  },
};

const result = await terminal.executeCommand(
  "npm --version && echo done >&2",
  [],
  { timeoutSeconds: 120 },
  agent,
);
console.log(result.ok, result.exitCode, result.stdout.trim(), result.stderr.trim());

const slow = await terminal.executeCommand("sleep", ["60"], { timeoutSeconds: 0.5 }, agent);
console.log(slow.error);

const refused = await terminal.executeCommand("rm -r .", [], {}, agent);
console.log(refused.error);

await terminal.stop();
