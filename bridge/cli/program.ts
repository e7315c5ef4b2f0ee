// Owns the command line's grammar: verbs, flags, help.

import type { Command } from "commander";
import { Argument, CommanderError, Option } from "commander";
import { ISOLATIONS } from "../../protocol/isolation.ts";
import { ExitCode } from "../errors.ts";
import type { DoctorFlags } from "../doctor/facts.ts";
import { LOG_LEVELS } from "../log.ts";
import { LINE_LEVELS } from "../logs/levels.ts";
import { LOG_SOURCES } from "../logs/places.ts";
import { ANY_TUNNEL } from "../tunnels/programs.ts";
import { VERSION } from "../version.ts";
import { withAgentFlags } from "./flags/agent-flags.ts";
import type { CodeFlag } from "./flags/code.ts";
import { codeOption } from "./flags/code.ts";
import {
  approvalId,
  factor,
  grantId,
  label,
  lineCount,
  port,
  promptText,
  reason,
  terminalSize,
} from "./flags/arguments.ts";
import type { ApproveFlags } from "./approvals/verbs.ts";
import type { AgentVerbFlags } from "./agents/agent.ts";
import type { ClientName } from "../../protocol/connect.ts";
import { CLIENTS } from "../../protocol/connect.ts";
import type { ConfigFlags } from "./config/config-verbs.ts";
import type { ShellName } from "./completion/completion.ts";
import { SHELLS } from "./completion/shells.ts";
import { Group, HelpfulCommand, mistake, pathOf, showHelp, unknownVerb } from "./help/help.ts";
import type { LogsFlags } from "./verbs/logs.ts";
import type { StartFlags } from "./flags/options.ts";
import { asTyped } from "./output/command-name.ts";
import { complain, printLine, tell } from "./output/output.ts";
import type { PeopleFlags } from "./verbs/people.ts";
import type { DeployFlags } from "./deploy/deploy.ts";
import type { RelayFlags } from "./verbs/relay-verb.ts";
import { DEFAULT_DETACH } from "./shell/detach-key.ts";
import type { PlayFlags } from "./recordings/play.ts";
import type { RecordFlags } from "./recordings/record.ts";
import type { SitFlags } from "./shell/verbs.ts";
import type { ConnectFlags, ShareFlags } from "./verbs/access.ts";
import type { VerbFlags } from "./verbs/ask.ts";
import type { IdKind } from "./verbs/id-kinds.ts";
import { ID_KINDS } from "./verbs/id-kinds.ts";

/** Loaded when used: a verb that asks one question should not wait for the whole bridge. */
const load = {
  start: () => import("./start/start.ts"),
  access: () => import("./verbs/access.ts"),
  asking: () => import("./verbs/verbs.ts"),
  agents: () => import("./agents/verbs.ts"),
  agent: () => import("./agents/agent.ts"),
  approvals: () => import("./approvals/verbs.ts"),
  config: () => import("./config/config-verbs.ts"),
  completion: () => import("./completion/completion.ts"),
  logs: () => import("./verbs/logs.ts"),
  people: () => import("./verbs/people.ts"),
  shell: () => import("./shell/verbs.ts"),
  record: () => import("./recordings/record.ts"),
  play: () => import("./recordings/play.ts"),
  relay: () => import("./verbs/relay-verb.ts"),
  deploy: () => import("./deploy/deploy.ts"),
  doctor: () => import("./verbs/doctor.ts"),
};

const AFTERWORD = `
\`pairpty help <command>\` lists a command's flags. The flags of start also work without a command.

Exit codes:
  ${ExitCode.ok}  done, or stopped as asked
  ${ExitCode.fault}  a bug in pairpty
  ${ExitCode.usage}  wrong usage
  ${ExitCode.noBridge}  pairpty is not running in this folder
  ${ExitCode.refused}  the relay refused this bridge
  ${ExitCode.unavailable}  the relay, the pty host or a port is not available
  ${ExitCode.agent}  a coding agent could not be started, died, or did not finish its turn
  129  window closed: terminals and relay wait 10 minutes for the next pairpty (--grace)`;

const CONFIG_ORDER = `
The first that has a value wins: flags, PAIRPTY_… variables, your own config.json, the project's
pairpty.config.json, the defaults. Unless you trust it, a project's file can only tighten settings.`;

export function createProgram(): Command {
  const program = new HelpfulCommand("pairpty")
    .description("Your real terminals in a room, shared with teammates and agents")
    .version(VERSION, "-v, --version", "print the version")
    .addOption(new Option("-V", "the same, as many programs have it").hideHelp())
    .on("option:V", () => {
      printLine(VERSION);
      throw new CommanderError(ExitCode.ok, "commander.version", VERSION);
    })
    .helpOption("-h, --help", "print this")
    .enablePositionalOptions()
    .addHelpText("after", AFTERWORD)
    .helpCommand(false)
    .configureOutput({
      outputError: (text) => complain(mistake(text, program)),
      writeOut: (text) => process.stdout.write(asTyped(text)),
      writeErr: (text) => tell(text.trimEnd()),
    })
    .exitOverride();
  program.commandsGroup(Group.everyday);

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
    .option("--yes", "do not ask before a tunnel makes it public")
    .option("--workspace <id>", "name of the room (kept for this folder)")
    .option("--port <number>", "port of the relay on this machine, 0 for any free one (kept)", port)
    .option("--cwd <folder>", "the workspace's folder (default: where you are)")
    .option("--shell <program>", "shell for new terminals (default: $SHELL)")
    .option("--open", "open the edit link in a browser")
    .option("--no-open", "do not open a browser (the default)")
    .option("--copy", "copy the edit link")
    .addOption(new Option("--qr", "draw a QR code (the default)").hideHelp())
    .option("--no-qr", "draw no QR code")
    .option("--knock", "people wait until you let them in, whatever their link")
    .option("-q, --quiet", "print only the links")
    .option("--json", "print one JSON line when ready, then one per event")
    .addOption(new Option("--log-level <level>", "how much to log").choices(LOG_LEVELS))
    .option("--config <file>", "read this file instead of your own config.json; flags win")
    .option("--new", "make a new room for this folder; old links stop working")
    .option("--agent-root <folder...>", "more folders in which agents may start commands")
    .option("--agent-env <name...>", "variables that agents get even if they look like secrets")
    .option("--agent-idle <duration>", "close agents' idle background terminals sooner than 5m")
    .addOption(
      new Option("--agent-isolation <level>", "the least isolation of what agents start").choices(
        ISOLATIONS,
      ),
    )
    .option("--ca <file>", "also trust these CA certificates (PEM) for the relay")
    .option(
      "--grace <duration>",
      "how long terminals wait for a restart after a crash (default: 10m)",
    )
    .option("--insecure", "allow an unencrypted relay that is not on this machine")
    .option("--code [number]", "where pairpty runs already: show its edit link (see `approve`)")
    .addOption(new Option("--background", "stay without a window").hideHelp())
    .addOption(new Option("--no-screens", "feed no screens, to measure their cost").hideHelp())
    .addOption(new Option("--conformance", "serve what the MCP conformance suite wants").hideHelp())
    .allowExcessArguments()
    .action((flags: StartFlags, command: Command) => {
      const [word] = command.args;
      if (word !== undefined) throw unknownVerb(word, program);
      return load.start().then(({ start }) => start(flags));
    });

  const sharing = verb(
    program,
    "share",
    "make a link for a person, or a token for an agent",
  ).addOption(
    new Option("--role <role>", "what it may do")
      .choices(["view", "edit", "agent"])
      .default("view"),
  );
  withAgentFlags(sharing)
    .option("--expires <duration>", "how long it lasts: 90s, 30m, 2h, 30d", "30d")
    .option("--label <text>", "who it is for", label)
    .option("--knock", "visitors by this link wait until you let them in")
    .option("--may-share", "an edit link that may also make links, in the page")
    .addOption(codeOption())
    .action(async (flags: ShareFlags) => (await load.access()).share(flags));
  sitting(program, "shell", "open a shared terminal here, in this window")
    .argument("[command...]", "what to run, after -- (default: your shell)")
    .option("--private", "agents and view links do not see it")
    .action((command: string[], flags: SitFlags) =>
      load.shell().then(({ shell }) => shell(command, flags)),
    );
  sitting(program, "attach", "join a terminal, in this window")
    .argument("[id]", "its number, its id or the start of that (default: the only one)")
    .addOption(new Option("--watch", "watch only; type nothing").conflicts("stepIn"))
    .option("--step-in", "type into an agent's terminal; detaching hands it back, hidden")
    .action((id: string | undefined, flags: SitFlags) =>
      load.shell().then(({ attach }) => attach(id, flags)),
    );
  verb(program, "close", "end a terminal and everything in it")
    .argument("<id>", "its number or id from `pairpty ls`, or the start of the id")
    .action((id: string, flags: VerbFlags) => load.shell().then(({ close }) => close(id, flags)));
  verb(program, "agents-type", "let agents type into a terminal, or stop them")
    .argument("<id>", "its number or id from `pairpty ls`, or the start of the id")
    .addArgument(new Argument("<state>", "on or off").choices(["on", "off"]))
    .addOption(codeOption())
    .action((id: string, state: "on" | "off", flags: VerbFlags & CodeFlag) =>
      load.shell().then(({ agentsType }) => agentsType(id, state, flags)),
    );
  verb(program, "pin", "keep a terminal's size when others type")
    .argument("<id>", "its number or id from `pairpty ls`, or the start of the id")
    .argument("[size]", "columns and rows: 120x40 (default: the size that it has)", terminalSize)
    .option("--off", "let its size follow who types again")
    .action(
      (
        id: string,
        size: ReturnType<typeof terminalSize> | undefined,
        flags: VerbFlags & { off?: boolean },
      ) => load.shell().then((verbs) => verbs.pin(id, size, flags)),
    );
  verb(program, "rename", "name a terminal, for everybody")
    .argument("<id>", "its number or id from `pairpty ls`, or the start of the id")
    .argument("[name]", "what everybody calls it (default: its own name again)")
    .action((id: string, name: string | undefined, flags: VerbFlags) =>
      load.shell().then((verbs) => verbs.rename(id, name ?? "", flags)),
    );
  verb(program, "record", "record a terminal to an asciicast file, or list the recordings")
    .argument("[id]", "its number or id from `pairpty ls`, or the start of the id")
    .option("--out <file>", "the file to make (default: one in the workspace's state)")
    .option("--stop", "end its recording")
    .action((id: string | undefined, flags: RecordFlags) =>
      load.record().then(({ record }) => record(id, flags)),
    );
  program
    .command("play")
    .description("play a recording in this window: space pauses, . steps, q ends")
    .argument("<file>", "an asciicast file, or - for standard input")
    .option("--speed <factor>", "2 is twice as fast", factor, 1)
    .option("--idle-limit <seconds>", "no pause longer than this", factor)
    .action((file: string, flags: PlayFlags) => load.play().then(({ play }) => play(file, flags)));
  verb(program, "stop", "end this folder's pairpty and its terminals")
    .option("--yes", "do not ask first")
    .action((flags: VerbFlags & { yes?: boolean }) => load.shell().then(({ stop }) => stop(flags)));
  verb(program, "people", "list who is here and who waits, or change what one of them may do")
    .argument("[who]", "a name, a label or an id of the list")
    .addOption(new Option("--view", "they may watch, not type").conflicts(["edit", "remove"]))
    .addOption(new Option("--edit", "they may type again").conflicts(["view", "remove"]))
    .addOption(new Option("--remove", "send them away").conflicts(["view", "edit"]))
    .addOption(codeOption())
    .action((who: string | undefined, flags: PeopleFlags) =>
      load.people().then(({ people }) => people(who, flags)),
    );
  verb(program, "admit", "let somebody in who waits")
    .argument("<who>", "a name, a label or an id, from `pairpty people`")
    .addOption(codeOption())
    .action((who: string, flags: VerbFlags & CodeFlag) =>
      load.people().then(({ admit }) => admit(who, flags)),
    );
  verb(program, "turn-away", "do not let somebody in who waits")
    .argument("<who>", "a name, a label or an id, from `pairpty people`")
    .action((who: string, flags: VerbFlags) =>
      load.people().then(({ turnAway }) => turnAway(who, flags)),
    );
  verb(program, "ls", "list the open terminals").action(async (flags: VerbFlags) =>
    (await load.asking()).list(flags),
  );
  verb(program, "status", "show this folder's link, people and terminals").action(
    async (flags: VerbFlags) => (await load.asking()).status(flags),
  );

  program.commandsGroup(Group.agents);
  withAgentFlags(
    verb(program, "connect", "make a token for an agent, and print its program's configuration"),
  )
    .addArgument(new Argument("<client>", "the agent's program").choices(CLIENTS))
    .option("--expires <duration>", "how long it lasts: 90s, 30m, 2h, 30d", "30d")
    .addOption(codeOption())
    .action(async (client: ClientName, flags: ConnectFlags) =>
      (await load.access()).connect(client, flags),
    );
  program
    .command("agent")
    .description("start a coding agent that speaks ACP, in this folder's room")
    .argument("[command...]", "what starts it, after --")
    .option("--prompt <text>", "one turn: print what it answers, and end with it", promptText)
    .option("--label <name>", "what people call it (default: its program's name)", label)
    .addOption(
      new Option(
        "--isolation <level>",
        "the wall around the agent and what it starts (default: none)",
      ).choices(ISOLATIONS),
    )
    .option("--settings <folder...>", "more folders that it may change behind its wall: its own")
    .option("--cwd <folder>", "the workspace's folder (default: where you are)")
    .action((command: string[], flags: AgentVerbFlags) =>
      load.agent().then(({ agent }) => agent(command, flags)),
    );
  verb(program, "mcp", "serve MCP on standard input and output, for an agent on this machine")
    .option("--name <name>", "the agent's name (default: its program's name)", label)
    .action((flags: VerbFlags & { name?: string }) => load.agents().then(({ mcp }) => mcp(flags)));
  verb(program, "audit", "show what agents did (for pairpty's own log: logs)")
    .option("--follow", "keep printing new lines")
    .action((flags: VerbFlags & { follow?: boolean }) =>
      load.agents().then(({ audit }) => audit(flags)),
    );
  verb(program, "approvals", "list what agents ask to do and nobody has answered").action(
    (flags: VerbFlags) => load.approvals().then(({ approvals }) => approvals(flags)),
  );
  verb(program, "approve", "let an agent do what it asks for")
    .argument("<id>", "its id, from `pairpty approvals`", approvalId)
    .addOption(codeOption())
    .option("--session", "the same again, as long as the agent's token lasts")
    .option("--prefix", "what begins alike, too, as `pairpty approvals` shows it")
    .action((id: string, flags: ApproveFlags) =>
      load.approvals().then(({ approve }) => approve(id, flags)),
    );
  verb(program, "deny", "refuse what an agent asks for")
    .argument("<id>", "its id, from `pairpty approvals`", approvalId)
    .option("--reason <text>", "what the agent is told", reason)
    .action((id: string, flags: VerbFlags & { reason?: string }) =>
      load.approvals().then(({ deny }) => deny(id, flags)),
    );
  verb(program, "rules", "list the answers that hold for longer, or end one")
    .option("--end <rule>", "end this one, by its id: the agent asks again")
    .action((flags: VerbFlags & { end?: string }) =>
      load.approvals().then(({ rules }) => rules(flags)),
    );
  const policy = program.command("policy").description("ask the command policy").helpCommand(false);
  verb(policy, "check", "read JSON lines on standard input, print a verdict for each").action(
    (flags: VerbFlags) => load.agents().then(({ policyCheck }) => policyCheck(flags)),
  );

  program.commandsGroup(Group.administration);
  verb(program, "grants", "list links and tokens").action(async (flags: VerbFlags) =>
    (await load.access()).grants(flags),
  );
  verb(program, "revoke", "revoke a link or token and close its connections")
    .argument("<id>", "its id, from `pairpty grants`", grantId)
    .action(async (id: string, flags: VerbFlags) => (await load.access()).revoke(id, flags));
  verb(program, "logs", "show what bridge, pty host and relay logged (for what agents did: audit)")
    .option("--follow", "keep printing new lines")
    .addOption(new Option("--level <level>", "minimum level").choices(LINE_LEVELS).default("info"))
    .addOption(new Option("--source <part>", "only this part").choices(LOG_SOURCES))
    .option("--data [folder]", "the logs of your own relay, by its data folder")
    .option("--since <duration>", "only newer than this: 90s, 10m, 2h")
    .option("--lines <number>", "how many of the newest lines (default: 200)", lineCount)
    .action((flags: LogsFlags) => load.logs().then(({ logs }) => logs(flags)));
  verb(program, "doctor", "check what pairpty needs here, and say how to fix what is missing")
    .option("--relay <url>", "check the way to this relay, too")
    .option("--config <file>", "read this file instead of your own config.json; flags win")
    .option("--ca <file>", "also trust these CA certificates (PEM) for the relay")
    .option("--insecure", "allow an unencrypted relay that is not on this machine")
    .action((flags: DoctorFlags) => load.doctor().then(({ doctor }) => doctor(flags)));
  addConfigVerbs(program);
  addRelayVerb(program);
  program
    .command("deploy")
    .description("put the relay into your own Cloudflare account, or upgrade or remove it")
    .option("--name <name>", "the Worker's name", "pairpty-relay")
    .option("--dry-run", "build what would be uploaded, and upload nothing")
    .option("--remove", "remove the Worker, and its key from your config")
    .option("--json", "print JSON")
    .action((flags: DeployFlags) => load.deploy().then(({ deploy }) => deploy(flags)));
  program
    .command("completion")
    .description("print a completion script for your shell")
    .addArgument(new Argument("<shell>", "your shell").choices(SHELLS))
    .action((shell: ShellName) =>
      load.completion().then(({ completion }) => completion(program, shell)),
    );
  program
    .command("complete-ids", { hidden: true })
    .description("print the ids that a verb may take, for completion")
    .addArgument(new Argument("<what>").choices(ID_KINDS))
    .argument("[begun]", "what is typed of it already", "")
    .option("--cwd <folder>")
    .action(async (what: IdKind, begun: string, flags: VerbFlags) =>
      (await load.asking()).listIds(what, begun, flags),
    );
  program
    .command("version")
    .description("print the version")
    .action(() => printLine(VERSION));
  program
    .command("help")
    .description("show how to use a command")
    .argument("[verb...]", "the command (default: all of them)")
    .action((words: string[]) => showHelp(program, words));
  pointToHelp(program);
  return program;
}

/** A mistake in the call ends with where the right words are. */
function pointToHelp(command: Command): void {
  const words = ["pairpty", "help", pathOf(command)].filter(Boolean).join(" ");
  command.showHelpAfterError(`      \`${words}\` lists the options.`);
  for (const sub of command.commands) pointToHelp(sub);
}

const RELAY_ENVIRONMENT = `
Environment:
  RELAY_KEY  the key a bridge needs for a new workspace (PAIRPTY_RELAY_KEY there);
             required if others can reach the relay`;

function addRelayVerb(program: Command): void {
  program
    .command("relay")
    .description("run your own relay, in the foreground, with persistent rooms")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <number>", "port to listen on, 0 for any that is free", port, 8787)
    .option("--data <folder>", "where to keep rooms (default: in the state folder)")
    .option("--allowed-origin <origin...>", "other origins whose pages may use this relay")
    .addOption(
      new Option("--log-level <level>", "how much to print; the log file has info and above")
        .choices(LOG_LEVELS)
        .default("info"),
    )
    .option("--json", "print one JSON line when ready, then one per event")
    .addHelpText("after", RELAY_ENVIRONMENT)
    .action((flags: RelayFlags) => load.relay().then(({ relay }) => relay(flags)));
}

function addConfigVerbs(program: Command): void {
  const config = program
    .command("config")
    .description("see where settings come from, check them, trust a project's file")
    .helpCommand(false)
    .addHelpText("after", CONFIG_ORDER);
  const configVerb = (name: string, description: string) =>
    verb(config, name, description).option("--config <file>", "instead of your own config.json");
  configVerb("path", "show which files are used here").action((flags: ConfigFlags) =>
    load.config().then(({ path }) => path(flags)),
  );
  configVerb("check", "list every mistake in files and environment")
    .argument("[file]", "only this file")
    .action((file: string | undefined, flags: ConfigFlags) =>
      load.config().then(({ check }) => check(file, flags)),
    );
  configVerb("explain", "show what a setting does and where its value comes from")
    .argument("[key]", "only this one, such as agents.idle")
    .action((key: string | undefined, flags: ConfigFlags) =>
      load.config().then(({ explainSettings }) => explainSettings(key, flags)),
    );
  configVerb("trust", "trust this folder's pairpty.config.json, as it is now")
    .option("--yes", "do not ask first")
    .option("--forget", "stop trusting this folder's file")
    .action((flags: ConfigFlags & { yes?: boolean; forget?: boolean }) =>
      load.config().then(({ trustProject }) => trustProject(flags)),
    );
}

/** Verbs that take over the window. */
function sitting(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option("--cwd <folder>", "the workspace's folder (default: where you are)")
    .addOption(
      new Option("--detach-key <key>", "the key that detaches: ctrl- and a letter, or \\ ] ^ _")
        // Its own words: commander's would show the backslash twice.
        .default(DEFAULT_DETACH, DEFAULT_DETACH),
    );
}

function verb(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option("--cwd <folder>", "the workspace's folder (default: where you are)")
    .option("--json", "print JSON");
}
