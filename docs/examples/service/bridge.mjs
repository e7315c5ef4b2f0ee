// With a bridge: commands run in the room of a folder, and people there see them and say yes or no.

import { BridgeProvider, TerminalService } from "pairpty/service";

const [folder] = process.argv.slice(2);
const terminal = new TerminalService();
const agent = { id: "builder" };

terminal.registerTerminalProvider("room", new BridgeProvider({ folder, name: "builder" }));
terminal.setActiveTerminal("room", agent);

const safe = await terminal.executeCommand("echo from the room", [], {}, agent);
console.log(safe.stdout.trim());

// This program asks no one: the people in the room are asked. With no one there, the bridge refuses at once.
const asked = await terminal.executeCommand("touch made-by-an-agent; make install", [], {}, agent);
console.log(asked.ok, asked.error ?? asked.stdout.trim());

await terminal.stop();
