// A provider of one's own: here one that runs nothing and says what it was told.

import { TerminalService } from "pairpty/service";

class EchoProvider {
  async executeCommand(command, args, options) {
    return said(`${[command, ...args].join(" ")} within ${options.timeoutSeconds} s`);
  }

  async runScript(script) {
    return said(script);
  }
}

function said(text) {
  return { ok: true, output: text, exitCode: 0, stdout: text, stderr: "" };
}

const terminal = new TerminalService();
const agent = { id: "builder", confirm: () => true };

terminal.registerTerminalProvider("my-provider", new EchoProvider());
terminal.setActiveTerminal("my-provider", agent);

const { output } = await terminal.executeCommand("npm install", [], {}, agent);
console.log(output);

// It has no sessions, and says so.
try {
  await terminal.requireActiveTerminal(agent).startInteractiveSession({ timeoutSeconds: 1 });
} catch (error) {
  console.log(error.message);
}

await terminal.stop();
