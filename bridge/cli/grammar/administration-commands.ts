// Defines the administration commands: grants, logs, settings, relays, and pairpty itself.

import type { Command } from "commander";
import { Argument, Option } from "commander";
import type { DoctorFlags } from "../../doctor/doctor-facts.ts";
import { LOG_LEVELS } from "../../log.ts";
import { LINE_LEVELS, LOG_SOURCES } from "../../logs/log-paths.ts";
import { VERSION } from "../../build-info.ts";
import type { IdKind } from "../flags/parse-arguments.ts";
import {
  parseGrantId,
  parseLineCount,
  parsePort,
  SHELLS,
  ID_KINDS,
} from "../flags/parse-arguments.ts";
import type { ConfigFlags } from "../config/config-commands.ts";
import type { ShellName } from "../completion/completion.ts";
import { HelpGroup, printHelp } from "../help/help.ts";
import type { LogsFlags } from "../verbs/logs-command.ts";
import { printLine } from "../output/output.ts";
import type { DeployFlags } from "../deploy/deploy.ts";
import type { RelayFlags } from "../verbs/relay-command.ts";
import type { VerbFlags } from "../verbs/bridge-request.ts";
import { loadCommand, createCommand } from "./create-command.ts";

const CONFIG_HELP = `
Settings come from the first of these that has a value: flags, PAIRPTY_… variables, your own
config.json, the project's pairpty.config.json, the defaults. Unless you trust it, a project's
file can only tighten settings.`;

const RELAY_HELP = `
Environment:
  RELAY_KEY  the key a bridge needs for a new workspace (PAIRPTY_RELAY_KEY there);
             required if others can reach the relay`;

export function addAdministrationCommands(program: Command): void {
  program.commandsGroup(HelpGroup.administration);
  createCommand(program, "grants", "list links and tokens").action(async (flags: VerbFlags) =>
    (await loadCommand.access()).grants(flags),
  );
  createCommand(program, "revoke", "revoke a link or token and close its connections")
    .argument("<id>", "its id, from `pairpty grants`", parseGrantId)
    .action(async (id: string, flags: VerbFlags) => (await loadCommand.access()).revoke(id, flags));
  createCommand(
    program,
    "logs",
    "show the logs of bridge, pty host and relay (for agents' actions: audit)",
  )
    .option("--follow", "keep printing new lines")
    .addOption(new Option("--level <level>", "minimum level").choices(LINE_LEVELS).default("info"))
    .addOption(new Option("--source <part>", "only this part").choices(LOG_SOURCES))
    .option("--data [folder]", "the logs of your own relay, by its data folder")
    .option("--since <duration>", "only newer than this: 90s, 10m, 2h")
    .option("--lines <number>", "how many of the newest lines (default: 200)", parseLineCount)
    .action((flags: LogsFlags) => loadCommand.logs().then(({ logs }) => logs(flags)));
  createCommand(program, "doctor", "check this machine, and show how to fix what is missing")
    .option("--relay <url>", "also check the connection to this relay")
    .option("--config <file>", "read this file instead of your own config.json; flags win")
    .option("--ca <file>", "also trust these CA certificates (PEM) for the relay")
    .option("--insecure", "allow an unencrypted relay that is not on this machine")
    .action((flags: DoctorFlags) => loadCommand.doctor().then(({ doctor }) => doctor(flags)));
  addConfigCommands(program);
  addRelayCommand(program);
  program
    .command("deploy")
    .description("put the relay into your own Cloudflare account, or upgrade or remove it")
    .option("--name <name>", "the Worker's name", "pairpty-relay")
    .option("--dry-run", "build, but upload nothing")
    .option("--remove", "remove the Worker, and its key from your config")
    .option("--json", "print JSON")
    .action((flags: DeployFlags) => loadCommand.deploy().then(({ deploy }) => deploy(flags)));
  program
    .command("completion")
    .description("print a completion script for your shell")
    .addArgument(new Argument("<shell>", "your shell").choices(SHELLS))
    .action((shell: ShellName) =>
      loadCommand.completion().then(({ printCompletion }) => printCompletion(program, shell)),
    );
  program
    .command("complete-ids", { hidden: true })
    .description("print the ids that a command may take, for completion")
    .addArgument(new Argument("<what>").choices(ID_KINDS))
    .argument("[begun]", "the part already typed", "")
    .option("--cwd <folder>")
    .action(async (what: IdKind, begun: string, flags: VerbFlags) =>
      (await loadCommand.asking()).listIds(what, begun, flags),
    );
  program
    .command("version")
    .description("print the version")
    .action(() => printLine(VERSION));
  program
    .command("help")
    .allowUnknownOption()
    .description("show how to use a command")
    .argument("[command...]", "the command (default: all of them)")
    .action((words: string[]) => printHelp(program, words));
}

function addRelayCommand(program: Command): void {
  program
    .command("relay")
    .description("run your own relay, in the foreground, with persistent rooms")
    .option("--host <address>", "address to listen on", "127.0.0.1")
    .option("--port <number>", "port to listen on, 0 for any free one", parsePort, 8787)
    .option("--data <folder>", "where to keep rooms (default: in the state folder)")
    .option("--allowed-origin <origin...>", "other origins whose pages may use this relay")
    .addOption(
      new Option("--log-level <level>", "how much to print; the log file has info and above")
        .choices(LOG_LEVELS)
        .default("info"),
    )
    .option("--json", "print one JSON line when ready, then one per event")
    .addHelpText("after", RELAY_HELP)
    .action((flags: RelayFlags) => loadCommand.relay().then(({ relay }) => relay(flags)));
}

function addConfigCommands(program: Command): void {
  const config = program
    .command("config")
    .description("see where settings come from, check them, trust a project's file")
    .helpCommand(false)
    .addHelpText("after", CONFIG_HELP);
  const configVerb = (name: string, description: string) =>
    createCommand(config, name, description).option(
      "--config <file>",
      "instead of your own config.json",
    );
  configVerb("path", "show which files pairpty reads here").action((flags: ConfigFlags) =>
    loadCommand.config().then(({ showPaths }) => showPaths(flags)),
  );
  configVerb("check", "list every mistake in files and environment")
    .argument("[file]", "only this file")
    .action((file: string | undefined, flags: ConfigFlags) =>
      loadCommand.config().then(({ checkSettings }) => checkSettings(file, flags)),
    );
  configVerb("explain", "show what a setting does and where its value comes from")
    .argument("[key]", "only this one, such as agents.idle")
    .action((key: string | undefined, flags: ConfigFlags) =>
      loadCommand.config().then(({ explainSettings }) => explainSettings(key, flags)),
    );
  configVerb("trust", "trust this folder's pairpty.config.json, as it is now")
    .option("--yes", "do not ask first")
    .option("--forget", "stop trusting this folder's file")
    .action((flags: ConfigFlags & { yes?: boolean; forget?: boolean }) =>
      loadCommand.config().then(({ trustProject }) => trustProject(flags)),
    );
}
