// Defines the options of `pairpty start`, which also work without a command.

import type { Command } from "commander";
import { Option } from "commander";
import { ISOLATIONS } from "../../../protocol/isolation.ts";
import { LOG_LEVELS } from "../../log.ts";
import { ANY_TUNNEL } from "../../tunnels/tunnel-programs.ts";
import { parsePort } from "../flags/parse-arguments.ts";
import { unknownCommandError } from "../help/help.ts";
import type { StartFlags } from "../flags/start-options.ts";
import { loadCommand } from "./load-command.ts";

export function addStartCommand(program: Command): void {
  program
    .command("start", { isDefault: true })
    .description("share this folder's terminals, in the foreground (the default)")
    .option("--relay <url>", "use this relay instead of one on this machine")
    .addOption(
      new Option(
        "--tunnel [program]",
        "let others in through a tunnel: cloudflared, tailscale, ngrok, 'ssh user@host' or 'command {port}'",
      ).preset(ANY_TUNNEL),
    )
    .option("--yes", "do not ask before a tunnel makes the workspace public")
    .option("--workspace <id>", "name of the room (kept for this folder)")
    .option(
      "--port <number>",
      "port of the relay on this machine, 0 for any free one (kept)",
      parsePort,
    )
    .option("--cwd <folder>", "the workspace's folder (default: the current one)")
    .option("--shell <program>", "shell for new terminals (default: $SHELL, else bash)")
    .option("--open", "open the edit link in a browser")
    .option("--no-open", "do not open a browser (the default)")
    .option("--copy", "copy the edit link")
    .addOption(new Option("--qr", "draw a QR code (the default)").hideHelp())
    .option("--no-qr", "do not draw a QR code")
    .option("--knock", "all guests wait until you let them in")
    .option("-q, --quiet", "print only the links")
    .option("--json", "print one JSON line when ready, then one per event")
    .addOption(new Option("--log-level <level>", "how much to log").choices(LOG_LEVELS))
    .option("--config <file>", "read this file instead of your own config.json; flags win")
    .option("--new", "make a new room for this folder; old links stop working")
    .option("--agent-root <folder...>", "more folders in which agents may start commands")
    .option("--agent-env <name...>", "variables that agents get even if they look like secrets")
    .option("--agent-idle <duration>", "close agents' idle background terminals sooner than 5m")
    .addOption(
      new Option("--agent-isolation <level>", "minimum isolation of what agents start").choices(
        ISOLATIONS,
      ),
    )
    .option("--ca <file>", "also trust these CA certificates (PEM) for the relay")
    .option("--grace <duration>", "how long terminals survive a crash of pairpty (default: 10m)")
    .option("--insecure", "allow an unencrypted relay that is not on this machine")
    .option("--code [number]", "if pairpty already runs here: show its edit link (see `approve`)")
    .addOption(new Option("--background", "stay without a window").hideHelp())
    .addOption(new Option("--no-screens", "feed no screens, to measure their cost").hideHelp())
    .addOption(
      new Option("--conformance", "serve the tools of the MCP conformance suite").hideHelp(),
    )
    .allowExcessArguments()
    .action((flags: StartFlags, command: Command) => {
      const [word] = command.args;
      if (word !== undefined) throw unknownCommandError(word, program);
      return loadCommand.start().then(({ start }) => start(flags));
    });
}
