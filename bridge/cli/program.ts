// Owns the command line's grammar: verbs, flags, help.

import { Command, InvalidArgumentError, Option } from "commander";
import { GrantId, Label } from "../../protocol/grant.ts";
import { ExitCode, UserError } from "../errors.ts";
import { LOG_LEVELS } from "../log.ts";
import { VERSION } from "../version.ts";
import type { StartFlags } from "./options.ts";
import { start } from "./start.ts";
import type { ShareFlags, VerbFlags } from "./verbs.ts";
import { grants, list, revoke, share, status } from "./verbs.ts";

const EXIT_CODES = `
Exit codes:
  ${ExitCode.ok}  done, or stopped as asked
  ${ExitCode.fault}  a fault in pairpty
  ${ExitCode.usage}  a mistake in the call
  ${ExitCode.noBridge}  no pairpty runs in this folder
  ${ExitCode.refused}  the relay refused this bridge
  ${ExitCode.unavailable}  the relay, the pty host or a port could not be had`;

export function createProgram(): Command {
  const program = new Command("pairpty")
    .description("Your real terminals in a room, shared with teammates and agents.")
    .version(VERSION, "-V, --version")
    .enablePositionalOptions()
    .showHelpAfterError("(pairpty --help lists what there is)")
    .addHelpText("after", EXIT_CODES)
    .exitOverride();

  program
    .command("start", { isDefault: true })
    .description("put this folder's terminals into a room and stay in front (the default)")
    .option("--relay <url>", "use this relay instead of one on this machine")
    .option("--workspace <id>", "name of the room (kept for this folder)")
    .option("--port <number>", "port of the relay on this machine (kept for this folder)", port)
    .option("--cwd <folder>", "the workspace's folder (default: where you are)")
    .option("--shell <program>", "shell for new terminals (default: $SHELL)")
    .option("--open", "open the edit link in a browser")
    .option("--no-open", "do not open a browser (the default)")
    .option("-q, --quiet", "print the links and nothing else")
    .option("--json", "print one JSON line when ready, then one per event")
    .addOption(new Option("--log-level <level>", "how much to log").choices(LOG_LEVELS))
    .option("--config <file>", "read options from a JSON file; flags win")
    .option("--new", "make a new room for this folder; old links end")
    .option("--insecure", "allow an unencrypted relay that is not on this machine")
    .allowExcessArguments()
    .action((flags: StartFlags, command: Command) => {
      const [verb] = command.args;
      if (verb !== undefined) throw unknownVerb(verb, program);
      return start(flags);
    });

  verb(program, "share", "make a link for somebody, or a token for an agent")
    .addOption(
      new Option("--role <role>", "what it may do")
        .choices(["view", "edit", "agent"])
        .default("view"),
    )
    .option("--expires <duration>", "how long it lasts: 90s, 30m, 2h, 30d", "30d")
    .option("--label <text>", "who it is for", label)
    .action((flags: ShareFlags) => share(flags));
  verb(program, "grants", "list who may come in").action((flags: VerbFlags) => grants(flags));
  verb(program, "revoke", "end a grant and close its sockets")
    .argument("<id>", "the grant's id, from `pairpty grants`", grantId)
    .action((id: string, flags: VerbFlags) => revoke(id, flags));
  verb(program, "ls", "list the open terminals").action((flags: VerbFlags) => list(flags));
  verb(program, "status", "say how this folder's bridge is").action((flags: VerbFlags) =>
    status(flags),
  );
  return program;
}

function verb(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option("--cwd <folder>", "the workspace's folder (default: where you are)")
    .option("--json", "print JSON");
}

function port(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 65_535) return number;
  throw new InvalidArgumentError("A port is a number from 1 to 65535.");
}

function label(text: string): string {
  if (Label.safeParse(text).success) return text;
  throw new InvalidArgumentError("At most 80 characters on one line.");
}

function grantId(text: string): string {
  if (GrantId.safeParse(text).success) return text;
  throw new InvalidArgumentError("A grant's id has 10 letters and digits: see `pairpty grants`.");
}

/** Without a verb commander starts a bridge, so a misspelt one arrives there. */
function unknownVerb(verb: string, program: Command): UserError {
  const verbs = program.commands.map((command) => command.name());
  const hint = verbs.includes(verb)
    ? `The verb comes first: pairpty ${verb} …`
    : `The verbs are: ${verbs.join(", ")}.`;
  return new UserError(`"${verb}" is not understood here`, ExitCode.usage, hint);
}
