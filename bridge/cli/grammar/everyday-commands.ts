// Defines the everyday commands: links, terminals, people. Defines the options of `pairpty start`,
// which also work without a command.

import type { Command } from "commander";
import { Argument, Option } from "commander";
import { ISOLATIONS } from "../../../protocol/isolation.ts";
import { E2E_SETTINGS } from "../../config/resolve-e2e.ts";
import { LOG_LEVELS } from "../../log.ts";
import { ANY_TUNNEL } from "../../tunnels/tunnel-programs.ts";
import type { CodeFlag } from "../flags/parse-arguments.ts";
import {
  createCodeOption,
  withAgentFlags,
  parseFactor,
  parseLabel,
  parseTerminalSize,
  parsePort,
} from "../flags/parse-arguments.ts";
import type { StartFlags } from "../flags/start-options.ts";
import { unknownCommandError } from "../help/help.ts";
import type { PlayFlags } from "../recordings/play.ts";
import type { RecordFlags } from "../recordings/record-command.ts";
import type { WindowFlags } from "../shell/terminal-commands.ts";
import type { ShareFlags } from "../verbs/access-commands.ts";
import type { VerbFlags } from "../verbs/bridge-request.ts";
import type { PeopleFlags } from "../verbs/people-commands.ts";
import { loadCommand, windowCommand, createCommand } from "./create-command.ts";

export function addEverydayCommands(program: Command): void {
  const sharing = createCommand(
    program,
    "share",
    "make a link for a person, or a token for an agent",
  ).addOption(
    new Option("--role <role>", "what it may do")
      .choices(["view", "edit", "agent"])
      .default("view"),
  );
  withAgentFlags(sharing)
    .option(
      "--expires <duration>",
      "lifetime: 90s, 30m, 2h, 30d (default: 1d for --role edit, else 30d)",
    )
    .option("--label <text>", "who it is for", parseLabel)
    .option("--knock", "guests with this link wait until you let them in")
    .option("--may-share", "its holder can make more links in the page (needs --role edit)")
    .option("--plain", "a token for a client without end-to-end encryption; the relay can read it")
    .addOption(createCodeOption())
    .action(async (flags: ShareFlags) => (await loadCommand.access()).share(flags));
  windowCommand(program, "shell", "open a shared terminal here, in this window")
    .argument("[command...]", "what to run, after -- (default: your shell)")
    .option("--private", "hide it from agents and view links")
    .action((command: string[], flags: WindowFlags) =>
      loadCommand.shell().then(({ shell }) => shell(command, flags)),
    );
  windowCommand(program, "attach", "join a terminal, in this window")
    .argument("[id]", "its number or id, or the start of the id (default: the only one)")
    .addOption(new Option("--watch", "watch only; type nothing").conflicts("stepIn"))
    .option("--step-in", "type into an agent's terminal; the agent never sees what you typed")
    .action((id: string | undefined, flags: WindowFlags) =>
      loadCommand.shell().then(({ attach }) => attach(id, flags)),
    );
  createCommand(program, "close", "end a terminal and everything in it")
    .argument("<id>", "its number or id from `pairpty ls`, or the start of the id")
    .action((id: string, flags: VerbFlags) =>
      loadCommand.shell().then(({ close }) => close(id, flags)),
    );
  createCommand(program, "agents-type", "let agents type into a terminal, or stop them")
    .argument("<id>", "its number or id from `pairpty ls`, or the start of the id")
    .addArgument(new Argument("<state>", "on or off").choices(["on", "off"]))
    .addOption(createCodeOption())
    .action((id: string, state: "on" | "off", flags: VerbFlags & CodeFlag) =>
      loadCommand.shell().then(({ agentsType }) => agentsType(id, state, flags)),
    );
  createCommand(program, "pin", "pin a terminal's size")
    .argument("<id>", "its number or id from `pairpty ls`, or the start of the id")
    .argument("[size]", "columns and rows: 120x40 (default: its current size)", parseTerminalSize)
    .option("--off", "unpin it: its size follows the person typing")
    .action(
      (
        id: string,
        size: ReturnType<typeof parseTerminalSize> | undefined,
        flags: VerbFlags & { off?: boolean },
      ) => loadCommand.shell().then((verbs) => verbs.pin(id, size, flags)),
    );
  createCommand(program, "rename", "rename a terminal for everyone")
    .argument("<id>", "its number or id from `pairpty ls`, or the start of the id")
    .argument("[name]", "its new name (without it: the default name)")
    .action((id: string, name: string | undefined, flags: VerbFlags) =>
      loadCommand.shell().then((verbs) => verbs.rename(id, name ?? "", flags)),
    );
  createCommand(program, "record", "record a terminal to an asciicast file, or list the recordings")
    .argument("[id]", "its number or id from `pairpty ls`, or the start of the id")
    .option("--out <file>", "the file to write (default: one in the workspace's state)")
    .option("--stop", "end its recording")
    .action((id: string | undefined, flags: RecordFlags) =>
      loadCommand.record().then(({ record }) => record(id, flags)),
    );
  program
    .command("play")
    .description("play a recording in this window: space pauses, . steps, q ends")
    .argument("<file>", "an asciicast file, or - for standard input")
    .option("--speed <factor>", "2 is twice as fast", parseFactor, 1)
    .option("--idle-limit <seconds>", "shorten longer pauses to this", parseFactor)
    .action((file: string, flags: PlayFlags) =>
      loadCommand.play().then(({ play }) => play(file, flags)),
    );
  createCommand(program, "stop", "stop this folder's pairpty and its terminals")
    .option("--yes", "do not ask first")
    .action((flags: VerbFlags & { yes?: boolean }) =>
      loadCommand.shell().then(({ stop }) => stop(flags)),
    );
  createCommand(program, "people", "list who is connected or waiting, or change a person's access")
    .argument("[who]", "a name, a label or an id from the list")
    .addOption(new Option("--view", "let them watch but not type").conflicts(["edit", "remove"]))
    .addOption(new Option("--edit", "let them type again").conflicts(["view", "remove"]))
    .addOption(
      new Option("--remove", "remove them and keep their browser out").conflicts(["view", "edit"]),
    )
    .addOption(createCodeOption())
    .action((who: string | undefined, flags: PeopleFlags) =>
      loadCommand.people().then(({ people }) => people(who, flags)),
    );
  createCommand(program, "admit", "let in someone who is waiting")
    .argument("<who>", "a name, a label or an id, from `pairpty people`")
    .addOption(createCodeOption())
    .action((who: string, flags: VerbFlags & CodeFlag) =>
      loadCommand.people().then(({ admit }) => admit(who, flags)),
    );
  createCommand(program, "turn-away", "turn away someone who is waiting")
    .argument("<who>", "a name, a label or an id, from `pairpty people`")
    .action((who: string, flags: VerbFlags) =>
      loadCommand.people().then(({ turnAway }) => turnAway(who, flags)),
    );
  createCommand(program, "ls", "list the open terminals").action(async (flags: VerbFlags) =>
    (await loadCommand.asking()).list(flags),
  );
  createCommand(program, "status", "show this folder's link, people and terminals").action(
    async (flags: VerbFlags) => (await loadCommand.asking()).status(flags),
  );
}

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
    .option("--open", "open your own page in a browser")
    .option("--no-open", "do not open a browser (the default)")
    .option("--copy", "copy the edit link")
    .addOption(new Option("--qr", "draw a QR code (the default)").hideHelp())
    .option("--no-qr", "do not draw a QR code")
    .option("--knock", "all guests wait until you let them in")
    .addOption(
      new Option("--e2e <mode>", "end-to-end encryption: the relay cannot read").choices(
        E2E_SETTINGS,
      ),
    )
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
    .addOption(
      new Option(
        "--conformance <module>",
        "serve the tools of the MCP conformance suite",
      ).hideHelp(),
    )
    .allowExcessArguments()
    .action((flags: StartFlags, command: Command) => {
      const [word] = command.args;
      if (word !== undefined) throw unknownCommandError(word, program);
      return loadCommand.start().then(({ start }) => start(flags));
    });
}
