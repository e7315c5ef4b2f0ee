// Owns which environment variables change what a command runs: data, with reasons. The caller judges
// values that are commands themselves (assignments.ts).

import type { Verdict } from "./verdict.ts";

/** How to read the value: as a shell command, code, git settings, or options of a program. */
export type ValueKind = "line" | "code" | "settings" | { readonly optionsFor: string };

export interface VariableRule {
  readonly name: RegExp;
  readonly verdict: Verdict;
  readonly isPairptys?: true;
  /** How to judge the value, if programs run it. */
  readonly value?: ValueKind;
  readonly why: string;
}

/** Endings of names whose value is a program or a shell command; also used for names of options. */
export const RUN_BY_NAME =
  "SHELL|EDITOR|PAGER|BROWSER|VIEWER|RUNNER|WRAPPER|LAUNCHER|COMMAND|CMD|ASKPASS|RSH|SSH|HOOK|EXE|EXEC|" +
  "EXECUTABLE|PROGRAM|INTERPRETER|COMPILER|LINKER";

const RULES: readonly VariableRule[] = [
  { name: /^PAIRPTY/i, verdict: "blocked", isPairptys: true, why: "is pairpty's own" },
  {
    name: /^(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES)$/,
    verdict: "dangerous",
    why: "loads code into every program",
  },
  {
    name: /^(?:BASH_ENV|ENV|ZDOTDIR|BASH_FUNC_.*)$/,
    verdict: "dangerous",
    why: "makes shells run a file first",
  },
  {
    name: /^BASH_(?:ALIASES|CMDS)$/,
    verdict: "dangerous",
    value: "line",
    why: "changes what a name means",
  },
  { name: /^(?:LD_|DYLD_)/, verdict: "unknown", why: "changes which libraries load" },
  {
    name: /^GIT_(?:SSH|EXTERNAL_DIFF|CONFIG_VALUE_\d+)$/,
    verdict: "unknown",
    value: "line",
    why: "is run by git",
  },
  {
    name: /^GIT_CONFIG_PARAMETERS$/,
    verdict: "unknown",
    value: "settings",
    why: "gives git configuration",
  },
  {
    name: /^(?:PROMPT_COMMAND|PS[0-4]|R?PROMPT|COMP_WORDBREAKS|TRAPDEBUG|precmd)$/,
    verdict: "unknown",
    value: "line",
    why: "is run or expanded by shells",
  },
  {
    name: /^(?:NODE_OPTIONS|npm_config_node_options)$/i,
    verdict: "unknown",
    value: { optionsFor: "node" },
    why: "gives node options",
  },
  {
    name: /^BUN_OPTIONS$/,
    verdict: "unknown",
    value: { optionsFor: "bun" },
    why: "gives bun options",
  },
  {
    name: /^TAR_OPTIONS$/,
    verdict: "unknown",
    value: { optionsFor: "tar" },
    why: "gives tar options",
  },
  {
    name: /^(?:MAKEFLAGS|MFLAGS|GNUMAKEFLAGS)$/,
    verdict: "unknown",
    value: { optionsFor: "make" },
    why: "gives make options",
  },
  {
    name: /^(?:JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS)$/,
    verdict: "unknown",
    value: { optionsFor: "java" },
    why: "gives java options",
  },
  {
    name: /^PERL5OPT$/,
    verdict: "unknown",
    value: { optionsFor: "perl" },
    why: "gives perl options",
  },
  {
    name: /^RUBYOPT$/,
    verdict: "unknown",
    value: { optionsFor: "ruby" },
    why: "gives ruby options",
  },
  {
    name: /^(?:PERL5DB|LUA_INIT.*|EXINIT|VIMINIT|GVIMINIT|LESS|MORE|PYTHONBREAKPOINT|FZF_DEFAULT_OPTS)$/,
    verdict: "unknown",
    value: "code",
    why: "is code that a program runs",
  },
  {
    name: /^(?:npm_|yarn_|COREPACK_|BUN_)/i,
    verdict: "unknown",
    value: "line",
    why: "sets options of a package manager, its shell among them",
  },
  // Matched by the ending, since every tool has its own: `KUBE_EDITOR`, `BAT_PAGER`, `RUSTC_WRAPPER`.
  {
    name: new RegExp(`(?:^|_|[a-z])(?:${RUN_BY_NAME}|EDIT|OPEN|CLOSE|BIN|BINARY)$`, "i"),
    verdict: "unknown",
    value: "line",
    why: "is run by programs as a command",
  },
  {
    name: /^(?:VISUAL|CC|CXX|CPP|LD|AR|AS|FC|MAKE|HOSTCC)$/,
    verdict: "unknown",
    value: "line",
    why: "is run by programs as a command",
  },
  { name: /^GIT_/, verdict: "unknown", why: "changes what git reads and runs" },
  { name: /^PATH$/, verdict: "unknown", why: "changes which program a name means" },
  {
    name: /^(?:IFS|SHELLOPTS|BASHOPTS|BASH_.*|HIST.*|CDPATH|GLOBIGNORE|EXECIGNORE|FPATH|HOME|PREFIX|TMPDIR|XDG_.*|TERMINFO.*|TERMCAP|INPUTRC|POSIXLY_CORRECT)$/,
    verdict: "unknown",
    why: "changes how shells and programs read their input and settings",
  },
  {
    name: /^(?:NODE_(?!(?:ENV|NO_WARNINGS|DISABLE_COLORS|DEBUG)$).*|TS_NODE_.*|TSX_.*|ELECTRON_RUN_AS_NODE)$/,
    verdict: "unknown",
    why: "changes what node loads or writes",
  },
  {
    name: /^(?:PYTHON(?!UNBUFFERED$|DONTWRITEBYTECODE$|IOENCODING$|UTF8$).*|PERL.*|RUBYLIB|GEM_HOME|GEM_PATH|BUNDLE_.*|LUA_.*|PHP(?:RC|_INI_SCAN_DIR)|CLASSPATH|MAVEN_OPTS|GRADLE_OPTS|GO(?!MAXPROCS$|OS$|ARCH$|GC$|TRACEBACK$)[A-Z0-9]+|RUSTFLAGS|RUSTC.*|RUSTDOC.*|CARGO_(?!TERM_COLOR$|TERM_VERBOSE$|INCREMENTAL$).*|PYTEST_.*|COVERAGE_PROCESS_START|R_PROFILE.*|ERL_.*|ELIXIR_.*|DOTNET_STARTUP_HOOKS|COR_.*|CORECLR_.*)$/,
    verdict: "unknown",
    why: "makes an interpreter or compiler load other code",
  },
  {
    name: /^(?:MAKEFILES|GREP_OPTIONS|LESS.*|AWK.*|GAWK.*|RIPGREP_CONFIG_PATH|CURL_HOME|WGETRC|MYVIMRC|VIM\w*|NVIM\w*|EMACSLOADPATH|GCC_EXEC_PREFIX|GCONV_PATH|HOSTALIASES|LOCPATH|NLSPATH|OPENSSL_.*|SSL.*|KUBECONFIG|DOCKER_(?:HOST|CONFIG|CONTEXT)|SSH_AUTH_SOCK|GNUPGHOME|TMUX|SUDO_.*)$/,
    verdict: "unknown",
    why: "gives a program options, plugins or another target",
  },
  {
    name: /^(?:https?_proxy|all_proxy)$/i,
    verdict: "unknown",
    why: "routes traffic through another host",
  },
  // Also matched by the ending: `ESBUILD_BINARY_PATH`, `MOCHA_OPTIONS`, `JEST_CONFIG`.
  {
    name: /(?:^|_)(?:PATH|LIB|LIBRARY|LOADER|MODULES?|PLUGINS?|EXTENSIONS?|PRELOAD|REQUIRE|IMPORT|CONFIG|CONF|SETTINGS|RC|RCFILE|INIT|STARTUP|SCRIPT|OPTIONS|OPTS|FLAGS|ARGS|FILE|FILENAME|DIR|DIRECTORY|FOLDER|ROOT|HOME|NODE|PYTHON\d?|RUBY|PERL|BASH|JAVA)$/i,
    verdict: "unknown",
    why: "may name a file that is loaded or written, or options",
  },
];

/** Returns the rule for a variable; undefined if no program is known to run or load its value. */
export function variableRule(name: string): VariableRule | undefined {
  return RULES.find((rule) => rule.name.test(name));
}

/** A word, a number or a list of them: not a path, an address or a command. */
const PLAIN = /^[\w.,:@%+=*\uE001\uE002-]*$/;

export function isPlainValue(value: string): boolean {
  return PLAIN.test(value);
}
