// Owns which variables reach the inside of a sandbox: those that are known to be harmless, those
// that the request adds and those that the user lets through by name. Pure. The fork itself gets no
// others: the first process in a sandbox shows its own in /proc.

/** Known names; a secret is in none of them unless somebody put it there by hand. */
const KNOWN: ReadonlySet<string> = new Set(
  `PATH HOME USER LOGNAME SHELL PWD TERM COLORTERM TERM_PROGRAM TERMINFO TERMINFO_DIRS
   LANG LANGUAGE TZ EDITOR VISUAL PAGER MANPAGER LESS LS_COLORS CLICOLOR NO_COLOR FORCE_COLOR
   CI DEBUG NODE_ENV NODE_PATH NVM_DIR NVM_BIN VOLTA_HOME BUN_INSTALL DENO_DIR
   PYTHONPATH PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE VIRTUAL_ENV CONDA_PREFIX CONDA_DEFAULT_ENV
   PYENV_ROOT PYENV_VERSION RBENV_ROOT RBENV_VERSION GEM_HOME GEM_PATH RUBYLIB BUNDLE_PATH
   GOPATH GOROOT GOFLAGS GOTOOLCHAIN CGO_ENABLED CARGO_HOME RUSTUP_HOME RUST_BACKTRACE RUSTFLAGS
   JAVA_HOME MAVEN_HOME GRADLE_HOME SDKMAN_DIR ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR
   CC CXX LD AR CFLAGS CXXFLAGS CPPFLAGS LDFLAGS PKG_CONFIG_PATH LD_LIBRARY_PATH
   LIBRARY_PATH CPATH MANPATH INFOPATH SOURCE_DATE_EPOCH SSL_CERT_FILE SSL_CERT_DIR
   NODE_EXTRA_CA_CERTS GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
   GIT_PAGER EMAIL`.split(/\s+/),
);

const KNOWN_FAMILY = /^LC_[A-Z]+$/;

/** Of use only with a network; a password in them has been taken out before. */
const PROXIES = /^(?:https?|all|no)_proxy$/i;

/** They lead to sockets and displays outside: not even by name. */
const WAYS_OUT =
  /^(?:SSH_(?:AUTH_SOCK|AGENT_PID|CLIENT|CONNECTION|TTY)|GPG_AGENT_INFO|DBUS_\w+|DOCKER_\w+|CONTAINER_HOST|XDG_RUNTIME_DIR|XDG_SESSION_\w+|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|TMUX\w*|PULSE_SERVER|NOTIFY_SOCKET|LISTEN_FDS)$/;

export interface EnvironmentWish {
  readonly env: Readonly<Record<string, string>>;
  /** Variables that the request added. */
  readonly added: Readonly<Record<string, string>>;
  /** Names that the user lets through. */
  readonly letThrough: ReadonlySet<string>;
  readonly hasNetwork: boolean;
}

export function insideEnvironment(wish: EnvironmentWish): Record<string, string> {
  const { env, added, letThrough, hasNetwork } = wish;
  const passes = (name: string) =>
    KNOWN.has(name) ||
    KNOWN_FAMILY.test(name) ||
    (hasNetwork && PROXIES.test(name)) ||
    Object.hasOwn(added, name) ||
    letThrough.has(name);
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => passes(name) && !WAYS_OUT.test(name)),
  );
}
