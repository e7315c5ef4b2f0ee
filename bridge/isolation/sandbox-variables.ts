// Owns which variables a sandbox or container gets: harmless ones, those that the request adds and
// those that the user allows by name; never one that leads out. Pure.

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
