// Owns `pairpty start`: runs one folder's bridge in the foreground, from its options to its exit.

import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { compact } from "../../../protocol/compact.ts";
import { DEFAULT_SCOPES } from "../../../protocol/grant.ts";
import { keepCompiled } from "../../compiled/cache-signal.ts";
import type { Configuration } from "../../config/load-configuration.ts";
import { escapeInvisible } from "../../config/config-problems.ts";
import { quoteWord } from "../../../protocol/formats.ts";
import { ControlServer } from "../../doors/control/control-server.ts";
import type { Fixtures } from "../../dialects/mcp/dialect.ts";
import { ExitCode, errorMessage, UserError } from "../../errors.ts";
import { logFault, setFaultLog } from "../../faults.ts";
import type { NewGrant } from "../../grants/grant-table.ts";
import { forgetGrants } from "../../grants/grant-table.ts";
import { parseRelayAddress } from "../../link/relay-address.ts";
import type { BridgeEvent } from "../../run/run-options.ts";
import type { Log } from "../../log.ts";
import { openForegroundLog } from "../../logs/foreground-log.ts";
import { closeInheritedDescriptors } from "../../processes/inherited-descriptors.ts";
import type { BridgeRun } from "../../run/bridge-run.ts";
import { PROCESS_TAG_ENV } from "../../sweep.ts";
import { VERSION } from "../../build-info.ts";
import { ensureWorkspaceFolders } from "../../workspace/folders.ts";
import { Identity } from "../../workspace/identity.ts";
import type { RunningBridge } from "../answers/control-answers.ts";
import { answerRequest } from "../answers/control-answers.ts";
import { ForegroundEnd, StopSignals, runInBackground, runInForeground } from "./run-bridge.ts";
import { showRunning } from "./show-running.ts";
import { EventPrinter } from "./event-printer.ts";
import { isInteractive } from "../screen/first-screen.ts";
import { probeSandboxHere } from "../output/link-notes.ts";
import type { StartFlags, StartOptions } from "../flags/start-options.ts";
import { getCurrentFolder } from "../flags/current-folder.ts";
import { findBridgeAbove } from "../flags/workspace-folder.ts";
import { loadStartConfiguration, resolveOptions } from "../flags/start-options.ts";
import { printCodeForStarter } from "../shell/background-start.ts";
import { printNote, printWrapped, printWarning } from "../output/output.ts";
import type { BannerTokens } from "../answers/status-answer.ts";
import { toReady } from "../answers/status-answer.ts";
import { findStoredKey } from "../deploy/stored-relays.ts";
import {
  askTunnel,
  formatTunnelStarting,
  askTrust,
  warnUnknownVariables,
} from "./start-prompts.ts";

export async function start(flags: StartFlags): Promise<void> {
  closeInheritedDescriptors();
  let began = performance.now();
  const configuration = loadStartConfiguration(flags, process.env);
  const folders = ensureWorkspaceFolders(flags.cwd ?? getCurrentFolder());
  const socket = join(folders.runtime, "bridge.sock");
  const control = await ControlServer.bind(socket);
  if (control === undefined) {
    return await showRunning(socket, flags, resolveOptions(flags, process.env, configuration));
  }
  if (process.env[PROCESS_TAG_ENV] !== undefined) {
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
  const options = await resolveTrustedOptions(flags, configuration, folders.state).catch(
    (error) => {
      control.close();
      throw error;
    },
  );
  if (options === undefined) {
    control.close();
    return printNote("Cancelled. Nothing was started.");
  }
  const tunnel = await askTunnel(options, folders.folder, flags.background === true).catch(
    (error) => {
      control.close();
      throw error;
    },
  );
  if (tunnel === "declined") {
    control.close();
    return printNote("Cancelled. Nothing was started, and nothing is public.");
  }
  // The time that the user takes to answer does not count as start time.
  began += performance.now() - before;
  if (!options.quiet && process.getuid?.() === 0) {
    printWarning("running as root: anyone with an edit link is root on this machine");
  }
  await noteBridgeAbove(folders.folder, options);
  const log = openForegroundLog("bridge", folders.state, options.logLevel, (line) =>
    process.stderr.write(line),
  );
  setFaultLog(log);
  log.info(`starting: pairpty ${VERSION}, node ${process.version}, ${folders.folder}`);
  // A bug ends the bridge, but is logged first.
  process.on("uncaughtExceptionMonitor", (error) =>
    log.fileOnly("error", `bug: ${error.stack ?? error.message}`),
  );
  // A fault of one request must not end the bridge for all.
  process.on("unhandledRejection", (error) => logFault(log, "an unhandled rejection", error));
  const events = new EventPrinter(options);
  const signals = new StopSignals();
  let run: BridgeRun | undefined;
  try {
    // Comes before the new identity: if anything fails from here on, no old link works again.
    if (options.fresh) forgetGrants(folders.state);
    const identity = Identity.open(folders.state, {
      fresh: options.fresh,
      ...compact({ workspace: options.workspace }),
    });
    if (isInteractive(options)) void probeSandboxHere(folders.folder);
    if (tunnel !== undefined && !options.quiet) printNote(formatTunnelStarting(tunnel));
    // Loaded late: showing the links of a running bridge, or an error, needs none of it.
    const { openBridgeRun } = await import("../../run/open-run.ts");
    run = await openBridgeRun({
      ...options,
      folders,
      identity,
      tunnel,
      stop: signals.firstSignal,
      relayKey: process.env["PAIRPTY_RELAY_KEY"] ?? findStoredKey(getRelayOrigin(options)),
      fixtures: loadFixtures(options),
      log,
      onEvent: (event) => {
        logPeople(event, log);
        events.handle(event);
      },
      onDialFailed: (problem) => events.reportDialFailure(problem),
    });
    const opened = run;
    const tokens = mintTokens(run, options);
    const running: RunningBridge = {
      run,
      get ready() {
        return toReady(opened, identity.workspace, tokens);
      },
      folder: folders.folder,
      hasWindow: flags.background !== true,
    };
    if (flags.background === true) printCodeForStarter(run.elevationGate.code);
    control.serve(run.room.hub, log, (caller, request) => answerRequest(caller, request, running));
    // Comes before the ready line: a program may stop us as soon as it reads that.
    const ending = new ForegroundEnd(run, signals, options.quiet || options.json);
    const stay = { running, options, ending, events, log, began };
    keepCompiled();
    const code = await (flags.background === true ? runInBackground(stay) : runInForeground(stay));
    log.info(`ended with ${code}`);
    control.close();
    process.exit(code);
  } catch (error) {
    log.fileOnly("error", `not started: ${errorMessage(error)}`);
    // Ends what was opened so far.
    await run?.giveUp();
    control.close();
    throw error;
  }
}

/** Notes that a folder above also has a bridge: the user in a subfolder may have meant that one. */
async function noteBridgeAbove(folder: string, { quiet, json }: StartOptions): Promise<void> {
  const above = quiet || json ? undefined : await findBridgeAbove(folder);
  if (above === undefined) return;
  const shown = escapeInvisible(above);
  printWrapped(
    `pairpty also runs in ${shown}. This is a separate workspace for ${escapeInvisible(folder)}; to use the other one, stop this one and run \`pairpty shell\` here, or \`pairpty --cwd ${quoteWord(shown)}\` for its links.`,
  );
}

/**
 * Resolves the options; may first ask whether to trust the project's file. Undefined: the user stopped.
 */
async function resolveTrustedOptions(
  flags: StartFlags,
  configuration: Configuration,
  state: string,
): Promise<StartOptions | undefined> {
  const environment = process.env;
  const asking = { state, json: flags.json ?? false, environment };
  const settled = await askTrust(configuration, asking);
  if (settled === undefined) return undefined;
  const options = resolveOptions(flags, environment, settled);
  if (!options.quiet) warnUnknownVariables(environment);
  return options;
}

function getRelayOrigin({ relay, insecure }: StartOptions): string | undefined {
  return relay === undefined ? undefined : parseRelayAddress(relay, insecure).origin;
}

/** Loads a test suite's tools from a module outside the package; refuses where others could reach them. */
function loadFixtures({ conformance, relay, tunnel }: StartOptions): Fixtures | undefined {
  if (conformance === undefined) return undefined;
  if (tunnel !== undefined) {
    throw new UserError("--conformance does not work with a tunnel", ExitCode.usage);
  }
  if (relay !== undefined && !parseRelayAddress(relay, true).loopback) {
    throw new UserError("--conformance is for a relay on this machine", ExitCode.usage);
  }
  // Not `import()`: a program that runs from its code cache cannot import by a computed path.
  const module: { readonly fixtures: Fixtures } = createRequire(import.meta.url)(
    resolve(conformance),
  );
  return module.fixtures;
}

/** Logs people who join and leave; links and terminals are logged where they change. */
function logPeople(event: BridgeEvent, log: Log): void {
  if (event.event === "peer_joined") {
    log.info(`peer ${event.peer} joined: grant ${event.grant} (${event.role})`);
  }
  if (event.event === "peer_knocked") {
    log.info(`peer ${event.peer} waits for admission: grant ${event.grant} (${event.role})`);
  }
  if (event.event === "peer_left") log.info(`peer ${event.peer} left: grant ${event.grant}`);
}

/** Creates the tokens and links of the first screen, which end with this bridge. */
function mintTokens(
  { grants }: BridgeRun,
  { knock, isSealed }: Pick<StartOptions, "knock" | "isSealed">,
): BannerTokens {
  const mint = (role: "edit" | "view" | "agent", options: Partial<NewGrant> = {}) => {
    const minted = grants.mint({
      role,
      scopes: role === "agent" ? [...DEFAULT_SCOPES] : [],
      label: "",
      expiresAt: null,
      session: true,
      // Agents over MCP or ACP have no handshake.
      ...(isSealed && role !== "agent" ? { sealed: true } : {}),
      ...options,
    });
    grants.replaceEarlier(minted.grant.id);
    return minted;
  };
  const [edit, view, agent] = [mint("edit"), mint("view"), mint("agent")];
  return {
    tokens: { edit: edit.token, view: view.token, agent: agent.token },
    links: { edit: edit.link, view: view.link },
    own: mint("edit", { label: "the host", own: true }).link,
    knock,
    e2e: isSealed,
  };
}
