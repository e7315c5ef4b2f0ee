// Owns `pairpty start`: runs one folder's bridge in the foreground, from its options to its exit.

import { join } from "node:path";
import { DEFAULT_SCOPES } from "../../../protocol/grant.ts";
import { keepCompiled } from "../../compiled/keep.ts";
import type { Configuration } from "../../config/load.ts";
import { escaped } from "../../config/problems.ts";
import { quoted } from "../../../protocol/quoting.ts";
import { ask } from "../../doors/control/client.ts";
import type { ReadyTold } from "../../doors/control/requests.ts";
import { ControlServer } from "../../doors/control/server.ts";
import type { Fixtures } from "../../dialects/mcp/fixtures.ts";
import { ExitCode, messageOf, UserError } from "../../errors.ts";
import { logFault, setFaultLog } from "../../faults.ts";
import type { NewGrant } from "../../grants/table.ts";
import { forgetGrants } from "../../grants/table.ts";
import { parseRelayAddress } from "../../link/address.ts";
import type { BridgeEvent } from "../../run/events.ts";
import type { Log } from "../../log.ts";
import { openForegroundLog } from "../../logs/foreground-log.ts";
import { closeInherited } from "../../processes/inherited.ts";
import type { BridgeRun } from "../../run/run.ts";
import { MARK } from "../../mark.ts";
import { NO_TUNNEL } from "../../tunnels/programs.ts";
import { VERSION } from "../../version.ts";
import { workspaceFolders } from "../../workspace/folders.ts";
import { Identity } from "../../workspace/identity.ts";
import type { Running } from "../answers/answers.ts";
import { answerFor } from "../answers/answers.ts";
import { Ending, Signals } from "./ending.ts";
import { EventPrinter } from "./events.ts";
import { isLookedAt, showScreen, useLink } from "../screen/first-screen.ts";
import { sandboxHere } from "../agents/walls-words.ts";
import type { StartFlags, StartOptions } from "../flags/options.ts";
import { currentFolder } from "../flags/current-folder.ts";
import { findBridgeAbove } from "../flags/workspace-folder.ts";
import { configurationFor, resolveOptions } from "../flags/options.ts";
import { tellStarter } from "../shell/background.ts";
import { codeFrom } from "../flags/code.ts";
import { say, tell, warn } from "../output/output.ts";
import type { BannerTokens } from "../answers/ready.ts";
import { readyFacts } from "../answers/ready.ts";
import { keptKey } from "../deploy/kept-relays.ts";
import { settleTunnel, startingWords } from "./going-public.ts";
import { stayInBackground, stayInFront } from "./stay.ts";
import { settleTrust, warnOfVariables } from "../config/trust-prompt.ts";

export async function start(flags: StartFlags): Promise<void> {
  closeInherited();
  let began = performance.now();
  const configuration = configurationFor(flags, process.env);
  const folders = workspaceFolders(flags.cwd ?? currentFolder());
  const socket = join(folders.runtime, "bridge.sock");
  const control = await ControlServer.bind(socket);
  if (control === undefined) {
    return await showRunning(socket, flags, resolveOptions(flags, process.env, configuration));
  }
  if (process.env[MARK] !== undefined) {
    control.close();
    throw new UserError(
      "pairpty does not start inside a pairpty terminal: everyone who sees this terminal would see its links",
      ExitCode.usage,
      "Start it in a terminal that is not shared.",
    );
  }
  if (flags.code !== undefined) {
    control.close();
    throw new UserError(
      `pairpty is not running in ${folders.folder}, so there is no link for --code to show`,
      ExitCode.noBridge,
      "Start it without --code, or name its folder with --cwd.",
    );
  }
  const before = performance.now();
  const options = await settleOptions(flags, configuration, folders.state).catch((error) => {
    control.close();
    throw error;
  });
  if (options === undefined) {
    control.close();
    return say("Cancelled. Nothing was started.");
  }
  const tunnel = await settleTunnel(options, folders.folder, flags.background === true).catch(
    (error) => {
      control.close();
      throw error;
    },
  );
  if (tunnel === "declined") {
    control.close();
    return say("Cancelled. Nothing was started, and nothing is public.");
  }
  // The time that the user takes to answer does not count as start time.
  began += performance.now() - before;
  if (!options.quiet && process.getuid?.() === 0) {
    warn("running as root: anyone with an edit link is root on this machine");
  }
  await tellOfRoomAbove(folders.folder, options);
  const log = openForegroundLog("bridge", folders.state, options.logLevel, (line) =>
    process.stderr.write(line),
  );
  setFaultLog(log);
  log.info(`starting: pairpty ${VERSION}, node ${process.version}, ${folders.folder}`);
  // A bug ends the bridge, but is logged first.
  process.on("uncaughtExceptionMonitor", (error) =>
    log.keep("error", `bug: ${error.stack ?? error.message}`),
  );
  // A fault of one request must not end the bridge for all.
  process.on("unhandledRejection", (error) => logFault(log, "an unhandled rejection", error));
  const events = new EventPrinter(options);
  const signals = new Signals();
  let run: BridgeRun | undefined;
  try {
    // Before the new identity: if anything fails from here on, no old link works again.
    if (options.fresh) forgetGrants(folders.state);
    const identity = Identity.open(folders.state, {
      fresh: options.fresh,
      ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
    });
    if (isLookedAt(options)) void sandboxHere(folders.folder);
    if (tunnel !== undefined && !options.quiet) say(startingWords(tunnel));
    // Loaded late: showing the links of a running bridge, or an error, needs none of it.
    const bridge = await import("../../run/run.ts");
    run = await bridge.BridgeRun.open({
      ...options,
      folders,
      identity,
      tunnel,
      stop: signals.early,
      relayKey: process.env["PAIRPTY_RELAY_KEY"] ?? keptKey(originOf(options)),
      fixtures: await loadFixtures(options),
      areScreensFed: flags.screens ?? true,
      log,
      onEvent: (event) => {
        notePeople(event, log);
        events.on(event);
      },
      onDialFailed: (problem) => events.dialFailed(problem),
    });
    const opened = run;
    const tokens = mintTokens(run, options);
    const running: Running = {
      run,
      get ready() {
        return readyFacts(opened, identity.workspace, tokens);
      },
      folder: folders.folder,
      hasWindow: flags.background !== true,
    };
    if (flags.background === true) tellStarter(run.widening.code);
    control.serve(run.room.hub, log, (caller, request) => answerFor(caller, request, running));
    // Before the ready line is printed: a program may stop us as soon as it reads that.
    const ending = new Ending(run, signals, options.quiet || options.json);
    const stay = { running, options, ending, events, log, began };
    keepCompiled();
    const code = await (flags.background === true ? stayInBackground(stay) : stayInFront(stay));
    log.info(`ended with ${code}`);
    control.close();
    process.exit(code);
  } catch (error) {
    log.keep("error", `not started: ${messageOf(error)}`);
    // Ends what was opened so far.
    await run?.giveUp();
    control.close();
    throw error;
  }
}

/** Notes that a folder above also has a bridge: the user in a subfolder may have meant that one. */
async function tellOfRoomAbove(folder: string, { quiet, json }: StartOptions): Promise<void> {
  const above = quiet || json ? undefined : await findBridgeAbove(folder);
  if (above === undefined) return;
  const shown = escaped(above);
  tell(
    `pairpty also runs in ${shown}. This is a separate workspace for ${escaped(folder)}; to use the other one, stop this one and run \`pairpty shell\` here, or \`pairpty --cwd ${quoted(shown)}\` for its links.`,
  );
}

/**
 * Resolves the options; may first ask whether to trust the project's file. Undefined: the user stopped.
 */
async function settleOptions(
  flags: StartFlags,
  configuration: Configuration,
  state: string,
): Promise<StartOptions | undefined> {
  const environment = process.env;
  const asking = { state, json: flags.json ?? false, environment };
  const settled = await settleTrust(configuration, asking);
  if (settled === undefined) return undefined;
  const options = resolveOptions(flags, environment, settled);
  if (!options.quiet) warnOfVariables(environment);
  return options;
}

function originOf({ relay, insecure }: StartOptions): string | undefined {
  return relay === undefined ? undefined : parseRelayAddress(relay, insecure).origin;
}

/** Loads the conformance suite's tools; refuses where others could reach them. */
async function loadFixtures({
  conformance,
  relay,
  tunnel,
}: StartOptions): Promise<Fixtures | undefined> {
  if (!conformance) return undefined;
  if (tunnel !== undefined) {
    throw new UserError("--conformance does not work with a tunnel", ExitCode.usage);
  }
  if (relay !== undefined && !parseRelayAddress(relay, true).loopback) {
    throw new UserError("--conformance is for a relay on this machine", ExitCode.usage);
  }
  const fixtures = await import("../../dialects/mcp/conformance/fixtures.ts");
  return fixtures.conformance;
}

/** Logs people who join and leave; links and terminals are logged where they change. */
function notePeople(event: BridgeEvent, log: Log): void {
  if (event.event === "peer_joined") {
    log.info(`peer ${event.peer} joined: grant ${event.grant} (${event.role})`);
  }
  if (event.event === "peer_knocked") {
    log.info(`peer ${event.peer} waits for admission: grant ${event.grant} (${event.role})`);
  }
  if (event.event === "peer_left") log.info(`peer ${event.peer} left: grant ${event.grant}`);
}

/** Creates the tokens of the first screen, which end with this bridge. */
function mintTokens({ grants }: BridgeRun, { knock }: Pick<StartOptions, "knock">): BannerTokens {
  const replacing = (wish: NewGrant): string => {
    const { grant, token } = grants.mint(wish);
    grants.replaceEarlier(grant.id);
    return token;
  };
  const mint = (role: "edit" | "view" | "agent", wish: Partial<NewGrant> = {}) =>
    replacing({
      role,
      scopes: role === "agent" ? [...DEFAULT_SCOPES] : [],
      label: "",
      expiresAt: null,
      session: true,
      ...wish,
    });
  const tokens = { edit: mint("edit"), view: mint("view"), agent: mint("agent") };
  return { tokens, own: mint("edit", { label: "the host", own: true }), knock };
}

async function showRunning(
  socket: string,
  flags: StartFlags,
  options: StartOptions,
): Promise<void> {
  const ready = await ask(socket, { verb: "ready", ...(await codeFrom(flags)) });
  if (ready === undefined) {
    throw new UserError(
      "another pairpty is starting or stopping here; try again",
      ExitCode.noBridge,
    );
  }
  const differing = whatDiffers(flags, ready);
  if (differing.length > 0) {
    throw new UserError(
      `pairpty is already running here, without ${differing.join(", ")}`,
      ExitCode.usage,
      "Stop it first (`pairpty stop`), then start it again.",
    );
  }
  if (process.env[MARK] !== undefined) {
    return tell(
      "pairpty is already running here. This terminal is shared: run `pairpty` in another one to see the links.",
    );
  }
  await showScreen(ready, options, { milliseconds: undefined, adopted: 0, elsewhere: true });
  return useLink(ready, options);
}

/** Returns the given flags that a running bridge cannot adopt. */
function whatDiffers(flags: StartFlags, told: ReadyTold): string[] {
  const { relay, workspace, tunnel } = told;
  const { port } = new URL(told.local?.relay ?? relay);
  const wanted = flags.relay === undefined ? undefined : parseRelayAddress(flags.relay, true);
  const checks: [string, boolean][] = [
    ["--new", flags.new === true],
    ["--relay", wanted !== undefined && wanted.origin !== relay],
    ["--tunnel", flags.tunnel !== undefined && flags.tunnel !== NO_TUNNEL && tunnel === undefined],
    ["--port", ![undefined, 0, Number(port)].includes(flags.port)],
    ["--workspace", flags.workspace !== undefined && flags.workspace !== workspace],
    ["--shell", flags.shell !== undefined],
    ["--knock", flags.knock !== undefined],
    ["--grace", flags.grace !== undefined],
    ["--agent-idle", flags.agentIdle !== undefined],
    ["--agent-root", flags.agentRoot !== undefined],
    ["--agent-isolation", flags.agentIsolation !== undefined],
    ["--agent-env", flags.agentEnv !== undefined],
  ];
  return checks.filter(([, differs]) => differs).map(([name]) => name);
}
