// Owns which variables a sandbox or container gets: harmless ones, those that the request adds and
// those that the user allows by name; never one that leads out. Pure.

/** Variables that lead to sockets and displays outside: not passed even by name. */
const WAYS_OUT =
  /^(?:SSH_(?:AUTH_SOCK|AGENT_PID|CLIENT|CONNECTION|TTY)|GPG_AGENT_INFO|DBUS_\w+|DOCKER_\w+|CONTAINER_HOST|XDG_RUNTIME_DIR|XDG_SESSION_\w+|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|TMUX\w*|PULSE_SERVER|NOTIFY_SOCKET|LISTEN_FDS)$/;

/** Only useful with a network; passwords in them were removed before. */
const PROXIES = /^(?:https?|all|no)_proxy$/i;

const LOCALES = /^LC_[A-Z]+$/;

export interface EnvironmentWish {
  readonly env: Readonly<Record<string, string>>;
  /** Variables that the request added. */
  readonly added: Readonly<Record<string, string>>;
  /** Names that the user allows. */
  readonly letThrough: ReadonlySet<string>;
  readonly hasNetwork: boolean;
}

/** Returns the variables to pass. `known` are names that are harmless and useful inside. */
export function passing(wish: EnvironmentWish, known: ReadonlySet<string>): Record<string, string> {
  const { env, added, letThrough, hasNetwork } = wish;
  const passes = (name: string) =>
    known.has(name) ||
    LOCALES.test(name) ||
    (hasNetwork && PROXIES.test(name)) ||
    Object.hasOwn(added, name) ||
    letThrough.has(name);
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => passes(name) && !WAYS_OUT.test(name)),
  );
}
