// How safe a command is, without running it.

import { TerminalService } from "pairpty/service";

const terminal = new TerminalService();

for (const command of [
  "rm -rf /",
  "my_custom_script.sh",
  "ls -la",
  "echo $(sudo reboot)",
  "ls-all",
]) {
  console.log(command, "is", terminal.getCommandSafetyLevel(command));
}

await terminal.stop();
