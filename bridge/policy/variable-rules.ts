// Owns which environment variables change what a command runs, and judging one that a command gets:
// from the request, from a prefix, from `env` or `export`.

import { decodePercents } from "./path-text.ts";
import type { Run } from "./rule.ts";
import type { Verdict } from "./verdict.ts";

/** How to read the value: as a shell command, code, git settings, or options of a program. */
type ValueKind = "line" | "code" | "settings" | { readonly optionsFor: string };

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
function variableRule(name: string): VariableRule | undefined {
  return RULES.find((rule) => rule.name.test(name));
}

/** A word, a number or a list of them: not a path, an address or a command. */
const PLAIN = /^[\w.,:@%+=*\uE001\uE002-]*$/;

function isPlainValue(value: string): boolean {
  return PLAIN.test(value);
}

/** `HOST=0.0.0.0 npm run dev` */
const EVERY_ADDRESS = /^(?:0\.0\.0\.0|\[?::\]?)(?::\d+)?$/;

/** Judges a variable: some names decide what runs, and some values are run themselves. */
export function judgeVariable(name: string, value: string, run: Run): void {
  if (run.own.findRelation(value) === "inside" || run.own.isInProgram(value))
    run.noteOwn("a path into pairpty's folders");
  // CDPATH makes `cd pairpty` lead to one of these folders.
  if (name === "CDPATH") for (const folder of value.split(":")) run.own.enter(folder);
  const rule = variableRule(name);
  // `() { … }`: old versions of bash define a function from such a value and run the text after it.
  if (/^\(\)\s*\{/.test(value)) {
    run.note("dangerous", `${name} defines a shell function`);
    run.asPossible().judgeShellText(`f${value}`);
  }
  if (rule?.isPairptys === true) run.noteOwn(`${name} ${rule.why}`);
  else if (rule !== undefined) run.note(rule.verdict, `${name} ${rule.why}`);
  else if (!isPlainValue(value)) run.note("unknown", `${name} may name a file or a command`);
  if (EVERY_ADDRESS.test(value)) run.note("unknown", `${name} may open a server to the network`);
  if (rule?.value !== undefined && value !== "")
    judgeValue(rule.value, value, run.withStdin(false, []));
}

function judgeValue(kind: ValueKind, value: string, run: Run): void {
  const aside = run.asPossible();
  if (kind === "line") return aside.judgeShellText(value.replace(/^[!|]/, ""));
  if (kind === "code") return aside.judgeCode(value.replaceAll("!", " "));
  if (kind === "settings") return judgeSettings(value, run);
  aside.judgeArgv([kind.optionsFor, ...value.split(/\s+/).filter(Boolean)]);
  aside.judgeCode(decodePercents(value));
}

/** Judges settings in git's quoting: `'name=value' 'name'='value'`. */
function judgeSettings(value: string, run: Run): void {
  const plain = value.replaceAll(/'((?:[^']|'\\'')*)'/g, (_whole, text: string) => text);
  for (const setting of new Set([plain, ...plain.split(/\s+(?=[\w.-]+=)/)])) {
    const line = setting.slice(setting.indexOf("=") + 1).replace(/^!/, "");
    run.asPossible().judgeShellText(line);
  }
}

const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\+?=)([\s\S]*)$/;

/** Parses `name=value` as env does: any name is allowed, such as `BASH_FUNC_ls%%`. */
export function parseEnvAssignment(word: string): { name: string; value: string } | undefined {
  const [, name, value = ""] = /^([^=\s]+)=([\s\S]*)$/.exec(word) ?? [];
  return name === undefined ? undefined : { name, value };
}

/** Parses an argument `NAME=value` of `env`, `export` and similar commands. */
export function parseAssignment(word: string): { name: string; value: string } | undefined {
  const match = ASSIGNMENT.exec(word);
  if (match === null) return undefined;
  return { name: match[1] ?? "", value: match[2] ?? "" };
}
