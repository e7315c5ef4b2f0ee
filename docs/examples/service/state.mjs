// What an agent has of its own: settings over the service's, kept over restarts.

import { TerminalService } from "pairpty/service";

const terminal = new TerminalService({
  agentDefaults: { provider: "local", bash: { cropOutput: 10000, timeoutSeconds: 60 } },
  providers: { local: { type: "local" } },
  safeCommands: ["ls", "cat", "git", "make"],
  dangerousCommands: ["git push.*--force"],
});
terminal.run();

const agent = {
  id: "builder",
  config: { terminal: { bash: { cropOutput: 5000, timeoutSeconds: 30 } } },
};
terminal.attach(agent);

const state = terminal.stateOf(agent);
console.log(state.show().join("\n"));

// A program keeps this with the rest of the agent, and gives it back in `state`.
const kept = JSON.stringify(state.serialize());
const later = { id: "builder", state: { terminal: JSON.parse(kept) } };
terminal.attach(later);
console.log(terminal.stateOf(later).bash.timeoutSeconds);

// A new chat ends the agent's sessions and leaves its settings.
terminal.stateOf(later).reset(["chat"]);
console.log(terminal.getCommandSafetyLevel("make all"), terminal.getCommandSafetyLevel("wc x"));

await terminal.stop();
