// Owns which environment variables change what a command runs. Data with reasons; the caller judges
// the values that are commands themselves.

import type { Verdict } from "./verdict.ts";

export interface VariableRule {
  readonly name: RegExp;
  readonly verdict: Verdict;
  /** The value is a command line: it is judged as one. */
  readonly runs: boolean;
  readonly why: string;
}

const RULES: readonly VariableRule[] = [
  {
    name: /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES)$/,
    verdict: "dangerous",
    runs: false,
    why: "loads code into every program",
  },
  {
    name: /^(?:BASH_ENV|ENV|ZDOTDIR|BASH_FUNC_.*)$/,
    verdict: "dangerous",
    runs: false,
    why: "makes shells run a file first",
  },
  {
    name: /^BASH_(?:ALIASES|CMDS)$/,
    verdict: "dangerous",
    runs: true,
    why: "changes what a name means",
  },
  { name: /^(?:LD_|DYLD_)/, verdict: "unknown", runs: false, why: "changes which libraries load" },
  {
    name: /^(?:GIT_(?:PAGER|EDITOR|SEQUENCE_EDITOR|SSH|SSH_COMMAND|EXTERNAL_DIFF|ASKPASS|PROXY_COMMAND|CONFIG_VALUE_\d+))$/,
    verdict: "unknown",
    runs: true,
    why: "git runs it",
  },
  { name: /^GIT_/, verdict: "unknown", runs: false, why: "changes what git reads and runs" },
  {
    name: /^(?:PAGER|MANPAGER|EDITOR|VISUAL|FCEDIT|SUDO_EDITOR|BROWSER|LESSOPEN|LESSCLOSE|SSH_ASKPASS|SUDO_ASKPASS|RSYNC_RSH|CVS_RSH|BAT_PAGER|DELTA_PAGER|SYSTEMD_PAGER|AWS_PAGER|GH_PAGER|GH_EDITOR|GH_BROWSER|PSQL_PAGER|PSQL_EDITOR|KUBE_EDITOR)$/,
    verdict: "unknown",
    runs: true,
    why: "programs run it",
  },
  {
    name: /^(?:PROMPT_COMMAND|PS[0-4]|COMP_WORDBREAKS|TRAPDEBUG|precmd)$/,
    verdict: "unknown",
    runs: true,
    why: "shells run or expand it",
  },
  { name: /^PATH$/, verdict: "unknown", runs: false, why: "changes which program a name means" },
  {
    name: /^(?:IFS|SHELLOPTS|BASHOPTS|CDPATH|GLOBIGNORE|FPATH|SHELL|HOME|XDG_CONFIG_HOME|TERMINFO|TERMCAP|INPUTRC|POSIXLY_CORRECT)$/,
    verdict: "unknown",
    runs: false,
    why: "changes how shells and programs read their input and settings",
  },
  {
    name: /^(?:NODE_OPTIONS|NODE_PATH|NODE_REPL_EXTERNAL_MODULE|BUN_OPTIONS|TS_NODE_.*|TSX_.*|ELECTRON_RUN_AS_NODE|NODE_TLS_REJECT_UNAUTHORIZED|NODE_EXTRA_CA_CERTS)$/,
    verdict: "unknown",
    runs: false,
    why: "changes what node loads",
  },
  {
    name: /^(?:npm_config_|YARN_|COREPACK_|BUN_CONFIG_)/i,
    verdict: "unknown",
    runs: false,
    why: "sets options of a package manager, its shell among them",
  },
  {
    name: /^(?:PYTHON(?:STARTUP|PATH|HOME|INSPECT|BREAKPOINT|USERBASE|WARNINGS)|PERL5(?:OPT|LIB|DB)|PERLLIB|RUBY(?:OPT|LIB)|GEM_HOME|GEM_PATH|BUNDLE_.*|LUA_(?:INIT|PATH|CPATH).*|PHP(?:RC|_INI_SCAN_DIR)|CLASSPATH|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|MAVEN_OPTS|GRADLE_OPTS|GOFLAGS|RUSTC_WRAPPER|RUSTFLAGS|CARGO_.*|R_PROFILE.*|ERL_.*|ELIXIR_.*|DOTNET_STARTUP_HOOKS|COR_.*|CORECLR_.*)$/,
    verdict: "unknown",
    runs: false,
    why: "makes an interpreter or compiler load other code",
  },
  {
    name: /^(?:CC|CXX|CPP|LD|AR|AS|FC|MAKE|MAKESHELL|HOSTCC|SHELL_CMD|CMAKE_.*_LAUNCHER)$/,
    verdict: "unknown",
    runs: true,
    why: "builds run it",
  },
  {
    name: /^(?:MAKEFLAGS|MFLAGS|GNUMAKEFLAGS|MAKEFILES|TAR_OPTIONS|GREP_OPTIONS|LESS|LESSKEY|MORE|AWKPATH|AWKLIBPATH|RIPGREP_CONFIG_PATH|CURL_HOME|WGETRC|EXINIT|VIMINIT|MYVIMRC|NVIM_.*|EMACSLOADPATH|GCC_EXEC_PREFIX|GCONV_PATH|HOSTALIASES|LOCPATH|NLSPATH|OPENSSL_(?:CONF|ENGINES|MODULES)|SSLKEYLOGFILE|KUBECONFIG|DOCKER_(?:HOST|CONFIG|CONTEXT)|SSH_AUTH_SOCK|GNUPGHOME|TMUX|SUDO_.*)$/,
    verdict: "unknown",
    runs: false,
    why: "gives a program options, plugins or another target",
  },
  {
    name: /^(?:https?_proxy|all_proxy)$/i,
    verdict: "unknown",
    runs: false,
    why: "sends the traffic through somebody else",
  },
  { name: /^PAIRPTY/i, verdict: "blocked", runs: false, why: "is pairpty's own" },
];

/** Undefined: harmless. */
export function variableRule(name: string): VariableRule | undefined {
  return RULES.find((rule) => rule.name.test(name));
}
