// Owns which variables a sandbox or container gets: harmless ones, those that the request adds and
// those that the user allows by name; never one that leads out. Also owns passing variables into a
// sandbox so that they mean nothing to the programs that build it. And limits as options of prlimit
// and of a container's `run`.

import type { ContainerFacts } from "./container/container-command.ts";
import type { Limits } from "./isolation-settings.ts";

/** Variables that lead to sockets and displays outside: not passed even by name. */
const LEADS_OUTSIDE =
  /^(?:SSH_(?:AUTH_SOCK|AGENT_PID|CLIENT|CONNECTION|TTY)|GPG_AGENT_INFO|DBUS_\w+|DOCKER_\w+|CONTAINER_HOST|XDG_RUNTIME_DIR|XDG_SESSION_\w+|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|TMUX\w*|PULSE_SERVER|NOTIFY_SOCKET|LISTEN_FDS)$/;

/** Only useful with a network; passwords in them were removed before. */
const PROXIES = /^(?:https?|all|no)_proxy$/i;

const LOCALES = /^LC_[A-Z]+$/;

export interface EnvironmentRequest {
  readonly env: Readonly<Record<string, string>>;
  /** Variables that the request added. */
  readonly added: Readonly<Record<string, string>>;
  /** Names that the user allows. */
  readonly envAllowlist: ReadonlySet<string>;
  readonly hasNetwork: boolean;
}

/** Returns the variables to pass. `known` are names that are harmless and useful inside. */
export function selectVariables(
  request: EnvironmentRequest,
  known: ReadonlySet<string>,
): Record<string, string> {
  const { env, added, envAllowlist, hasNetwork } = request;
  const passes = (name: string) =>
    known.has(name) ||
    LOCALES.test(name) ||
    (hasNetwork && PROXIES.test(name)) ||
    Object.hasOwn(added, name) ||
    envAllowlist.has(name);
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => passes(name) && !LEADS_OUTSIDE.test(name)),
  );
}

// Variables of a request come from an agent: LD_PRELOAD, given to bubblewrap or podman, would run
// the agent's code outside. So they travel under neutral names, and a shell inside renames them.
// Pure.

const PREFIX = "PAIRPTY_INSIDE_";

const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Valid names that some shells do not allow to be set. */
const RESERVED_NAMES = /^(?:UID|EUID|PPID|SHELLOPTS|BASHOPTS|BASH_VERSINFO|IFS)$/;

export interface RenamedVariables {
  /** Variables for the process, or by name for a container. */
  readonly env: Readonly<Record<string, string>>;
  /** Words before the command, inside. */
  readonly words: readonly string[];
}

export function renameVariables(
  sh: string,
  inside: Readonly<Record<string, string>>,
): RenamedVariables {
  const entries = Object.entries(inside).filter(
    ([name]) => SHELL_NAME.test(name) && !RESERVED_NAMES.test(name) && !name.startsWith(PREFIX),
  );
  if (entries.length === 0) return { env: {}, words: [] };
  const names = entries.map((_, index) => `${PREFIX}${index}`);
  const env = entries.map(([name, value], index) => [names[index], `${name}=${value}`]);
  const exported = names.map((name) => `"$${name}"`).join(" ");
  const script = `export ${exported}; unset ${names.join(" ")}; exec "$@"`;
  return { env: Object.fromEntries(env), words: [sh, "-c", script, "sh"] };
}

/** Returns the words of prlimit before the command; none if there is nothing to limit. */
export function toPrlimitArgs(prlimit: string | undefined, limits: Limits): string[] {
  if (prlimit === undefined) return [];
  const { memory, pids, cpuTime, fileSize, openFiles } = limits;
  const words = [
    // Not `as`: runtimes reserve far more addresses than they use.
    ...toOption("data", memory),
    ...toOption("nproc", pids),
    ...toOption("cpu", cpuTime),
    ...toOption("fsize", fileSize),
    ...toOption("nofile", openFiles),
  ];
  return words.length === 0 ? [] : [prlimit, ...words, "--"];
}

function toOption(name: string, value: number | undefined): string[] {
  return value === undefined ? [] : [`--${name}=${value}`];
}

/** Returns the options of `run`, without those that this machine cannot enforce: they would fail. */
export function toContainerOptions(
  { memory, pids, cpu, cpuTime, fileSize, openFiles }: Limits,
  { enforcedLimits, maxLimits }: Pick<ContainerFacts, "enforcedLimits" | "maxLimits">,
): string[] {
  const files = openFiles === undefined ? maxLimits.openFiles : `${openFiles}:${openFiles}`;
  return [
    ...(memory !== undefined && enforcedLimits.memory
      ? ["--memory", String(memory), "--memory-swap", String(memory)]
      : []),
    ...(pids !== undefined && enforcedLimits.pids ? ["--pids-limit", String(pids)] : []),
    ...(cpu !== undefined && enforcedLimits.cpu ? ["--cpus", String(cpu)] : []),
    ...toUlimit("cpu", cpuTime),
    ...toUlimit("fsize", fileSize),
    // podman's defaults may exceed what this process may grant.
    "--ulimit",
    `nofile=${files}`,
    "--ulimit",
    `nproc=${maxLimits.processes}`,
  ];
}

function toUlimit(name: string, value: number | undefined): string[] {
  return value === undefined ? [] : ["--ulimit", `${name}=${value}:${value}`];
}
