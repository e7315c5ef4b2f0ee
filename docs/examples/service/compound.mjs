// The words of a compound command.

import { TerminalService } from "pairpty/service";

const terminal = new TerminalService();

const commands = terminal.parseCompoundCommand(
  'git add . && git commit -m "test" || echo "failed"',
);
console.log(JSON.stringify(commands));

await terminal.stop();
