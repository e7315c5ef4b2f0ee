// Owns the options of `pairpty start`: its flags, merged with the configuration.

import type { Configuration } from "../../config/load-configuration.ts";
import { loadConfiguration } from "../../config/load-configuration.ts";
import { toConfigError } from "../../config/config-problems.ts";
import { DEFAULT_E2E, resolveE2e } from "../../config/resolve-e2e.ts";
import { resolveSettings } from "../../config/resolve-settings.ts";
import { parseMilliseconds } from "../../config/setting-shapes.ts";
import {
  toApprovalOptions,
  toAcpOptions,
  toFileOptions,
  getMaxRecordingBytes,
} from "../../config/feature-settings.ts";
import {
  toIsolationSettings,
  toAgentDefaults,
  toCommandLists,
} from "../../config/agent-options.ts";
import { LAYERS } from "../../config/merge-layers.ts";
import { ExitCode, UserError } from "../../errors.ts";
import { NO_TUNNEL } from "../../tunnels/tunnel-programs.ts";
import type { LogLevel } from "../../log.ts";
import type { Isolation } from "../../../protocol/isolation.ts";
import type { RunSettings } from "../../run/run-options.ts";
import { getCurrentFolder } from "./current-folder.ts";

/** As commander passes them: a flag that was not given is undefined. */
export interface StartFlags {
  readonly relay?: string;
  readonly tunnel?: string;
  /** Go public without a question. */
  readonly yes?: boolean;
  readonly workspace?: string;
  readonly port?: number;
  readonly cwd?: string;
  readonly shell?: string;
  readonly open?: boolean;
  readonly copy?: boolean;
  readonly qr?: boolean;
  readonly quiet?: boolean;
  /** Started by `pairpty shell`: without a window, and ends when idle. */
  readonly background?: boolean;
  readonly json?: boolean;
  readonly logLevel?: LogLevel;
  readonly config?: string;
  readonly new?: boolean;
  readonly insecure?: boolean;
  readonly ca?: string;
  readonly grace?: string;
  readonly knock?: boolean;
  readonly e2e?: string;
  readonly agentIdle?: string;
  readonly agentRoot?: string[];
  readonly agentEnv?: string[];
  readonly agentIsolation?: Isolation;
  readonly conformance?: string;
  /** The code of the bridge that is already running. */
  readonly code?: string | true;
}

export interface StartOptions extends RunSettings {
  readonly relay: string | undefined;
  /** The tunnel as requested; undefined for none. */
  readonly tunnel: string | undefined;
  /** Confirms going public. */
  readonly yes: boolean;
  readonly workspace: string | undefined;
  readonly port: number | undefined;
  readonly cwd: string;
  readonly open: boolean;
  /** Copy the edit link. */
  readonly copy: boolean;
  /** Draw QR codes of links that a phone can open. */
  readonly qr: boolean;
  readonly quiet: boolean;
  readonly json: boolean;
  readonly logLevel: LogLevel;
  readonly fresh: boolean;
  readonly ca: string | undefined;
  /** How long pty host and embedded relay wait for a bridge to come back. */
  readonly graceMs: number;
  /** Module with the tools of the MCP conformance suite, to serve them too; undefined in normal use. */
  readonly conformance: string | undefined;
}

/** Loads the configuration of this start; throws one error that lists all problems. */
export function loadStartConfiguration(
  flags: StartFlags,
  environment: NodeJS.ProcessEnv,
): Configuration {
  const cwd = flags.cwd ?? getCurrentFolder();
  const configuration = loadConfiguration({ flags: { ...flags }, environment, cwd });
  if (configuration.problems.length > 0) throw toConfigError(configuration.problems);
  return configuration;
}

export function resolveOptions(
  flags: StartFlags,
  environment: NodeJS.ProcessEnv,
  configuration: Configuration,
): StartOptions {
  const here = getCurrentFolder();
  const resolved = resolveSettings(configuration, environment, here);
  const { shell, roots, ca, problems } = resolved;
  if (problems.length > 0) throw toConfigError(problems);
  const { values } = configuration.merged;
  const route = chooseRoute(configuration);
  return {
    ...route,
    yes: flags.yes ?? false,
    workspace: values.workspace,
    port: values.port,
    cwd: flags.cwd ?? here,
    shell,
    open: values.open ?? false,
    copy: flags.copy ?? false,
    qr: values.qr ?? true,
    quiet: values.quiet ?? false,
    json: flags.json ?? false,
    logLevel: values.logLevel ?? "warn",
    fresh: flags.new ?? false,
    insecure: values.insecure ?? false,
    ca,
    graceMs: parseMilliseconds(values.grace ?? ""),
    knock: values.knock ?? false,
    isSealed: resolveE2e(values.e2e ?? DEFAULT_E2E, route),
    agentIdleMs: parseMilliseconds(values["agents.idle"] ?? ""),
    agentRoots: roots,
    agentEnvironment: values["agents.environment"] ?? [],
    agentDefaults: toAgentDefaults(values),
    commandLists: toCommandLists(values),
    panels: {
      isEnabled: values["plugins.terminal.enabled"] ?? true,
      shell: values["plugins.terminal.shell"],
      isDebugged: values["plugins.terminal.debug"] ?? false,
    },
    approvals: toApprovalOptions(values),
    acp: toAcpOptions(values),
    files: toFileOptions(values, resolved.filesFolder),
    recordings: { maxBytes: getMaxRecordingBytes(values) },
    isolation: toIsolationSettings(values, resolved),
    conformance: flags.conformance,
  };
}

/** Chooses between a relay elsewhere and a tunnel: the stronger layer wins. */
function chooseRoute({ merged }: Configuration): Pick<StartOptions, "relay" | "tunnel"> {
  const { relay } = merged.values;
  const tunnel = merged.values.tunnel === NO_TUNNEL ? undefined : merged.values.tunnel;
  if (relay === undefined || tunnel === undefined) return { relay, tunnel };
  const rank = (key: string) => {
    const from = merged.outcomes.find((outcome) => outcome.key === key)?.from ?? "default";
    return LAYERS.indexOf(from);
  };
  const difference = rank("tunnel") - rank("relay");
  if (difference !== 0) {
    return difference < 0 ? { relay: undefined, tunnel } : { relay, tunnel: undefined };
  }
  throw new UserError(
    "relay and tunnel exclude each other: a tunnel leads to the relay on this machine",
    ExitCode.usage,
    "Leave out --relay or --tunnel (`pairpty config explain` shows where each is set).",
  );
}
