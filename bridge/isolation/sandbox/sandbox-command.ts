// Owns the command line of a sandbox: that of a plan, behind bubblewrap and the programs around it.
// Pure, given the facts about this machine and this workspace. Two `env`s handle signals:
// bubblewrap ignores those meant for the program, and the program gets the defaults back.

import { join } from "node:path";
import type { SpawnPlan } from "../../terminals/spawn-plan.ts";
import type { Limits, Network } from "../isolation-settings.ts";
import type { FolderSizes } from "../sandbox-locations.ts";
import type { EnvironmentRequest } from "../sandbox-options.ts";
import { renameVariables, toPrlimitArgs, selectVariables } from "../sandbox-options.ts";
import type { WritableRoot } from "../writable-roots.ts";
import { toMountOptions } from "./sandbox-mounts.ts";

export interface SandboxPrograms {
  readonly sh: string;
  /** Supports `--ignore-signal` and `--default-signal`. */
  readonly env: string;
  readonly bwrap: string;
  /** Undefined if it is not installed. */
  readonly perl: string | undefined;
  /** Undefined if it is not installed: limits that need it are not enforced. */
  readonly prlimit: string | undefined;
}

/** Our files and folders that have other names inside. */
export interface SandboxFiles {
  /** The seccomp filter. */
  readonly filter: string;
  /** All of /etc except the files that are mounted from the real one. */
  readonly etc: string;
  readonly etcMounts: readonly string[];
  /** `~/.cache` of this workspace's sandboxes. */
  readonly cache: string;
}

export interface SandboxFacts {
  readonly programs: SandboxPrograms;
  readonly files: SandboxFiles;
  /** Whether this version of bubblewrap can forbid user namespaces inside. */
  readonly canForbidNamespaces: boolean;
  /** Sizes of the private folders; undefined if this version of bubblewrap cannot set them. */
  readonly sizes: FolderSizes | undefined;
  readonly user: {
    /** Path as seen inside the sandbox. */
    readonly uid: number;
    readonly gid: number;
    /** Whether the user outside is root. */
    readonly isRoot: boolean;
    readonly name: string;
    /** A real path. */
    readonly home: string;
  };
  /** /bin and similar: the target of a link, or undefined for a folder. */
  readonly rootFolders: readonly { readonly path: string; readonly link: string | undefined }[];
  /** Files below /proc that exist here and are masked. */
  readonly procMasks: readonly string[];
  /** Shorter paths first. */
  readonly roots: readonly WritableRoot[];
  /** Besides the usual folders: those of PATH, `sandbox.readable`, the repository of a linked worktree. */
  readonly readable: readonly string[];
  /** pairpty's own folders, as real paths; each exists if it is in a root. */
  readonly hidden: readonly string[];
  readonly network: Network;
  /** Whether the program is dash at a prompt: see `LEAD_GROUP_SCRIPT`. */
  readonly isDash: boolean;
  readonly envAllowlist: ReadonlySet<string>;
}

/** Ctrl-C, kill and job control are meant for the program; only a hang-up and KILL end the sandbox. */
const PROGRAM_SIGNALS = "INT,QUIT,TERM,TSTP,TTIN,TTOU,USR1,USR2";

/** PATH of the programs that build the sandbox; each is called by its full path. */
const OUTER_PATH = "/usr/sbin:/usr/bin:/sbin:/bin";

/** node-pty passes no descriptor above 2, so a shell opens the filter. */
const OPEN_FILTER = 'exec 9<"$1"; shift; exec "$@"';

/**
 * Makes the program the leader of its own foreground process group (TIOCSPGRP). Otherwise the leader is
 * outside and has no number inside: dash at a prompt fails to give the terminal back to it and exits
 * with 2. Where sh is dash, perl is part of the system. Not for other programs: a signal to the outer
 * group would not reach them.
 */
const LEAD_GROUP_SCRIPT =
  'setpgrp(0, 0); ioctl(STDIN, 0x5410, pack("i", $$)); exec { $ARGV[0] } @ARGV';

export function wrapInSandbox(plan: SpawnPlan, facts: SandboxFacts, limits: Limits): SpawnPlan {
  const { programs, files } = facts;
  const given = renameVariables(programs.sh, toInnerEnvironment(plan, facts));
  const argv: [string, ...string[]] = [
    programs.sh,
    "-c",
    OPEN_FILTER,
    "sh",
    files.filter,
    programs.env,
    `--ignore-signal=${PROGRAM_SIGNALS}`,
    programs.bwrap,
    ...toNamespaceOptions(facts),
    ...toMountOptions(facts).flat(),
    "--chdir",
    plan.cwd,
    "--seccomp",
    "9",
    "--",
    ...(facts.isDash && programs.perl !== undefined
      ? [programs.perl, "-e", LEAD_GROUP_SCRIPT]
      : []),
    ...given.words,
    programs.env,
    "--default-signal",
    // Inside, so that the number of processes counts only those of the sandbox.
    ...toPrlimitArgs(programs.prlimit, limits),
    // `env` would take it for a variable.
    ...(plan.argv[0].includes("=") ? [programs.sh, "-c", 'exec "$@"', "sh"] : []),
    ...plan.argv,
  ];
  return { ...plan, argv, env: { PATH: OUTER_PATH, ...given.env }, isolation: "sandbox" };
}

function toInnerEnvironment(
  { env, added }: Pick<SpawnPlan, "env" | "added">,
  { user, network, envAllowlist }: SandboxFacts,
): Record<string, string> {
  const inside = toSandboxEnvironment({ env, added, envAllowlist, hasNetwork: network === "host" });
  const cache = join(user.home, ".cache");
  const own = {
    HOME: user.home,
    USER: user.name,
    LOGNAME: user.name,
    TMPDIR: "/tmp",
    XDG_CACHE_HOME: cache,
    npm_config_cache: join(cache, "npm"),
    npm_config_update_notifier: "false",
  };
  // Variables of the request take precedence over ours.
  const requested = Object.entries(inside).filter(([name]) => Object.hasOwn(added, name));
  return { ...inside, ...own, ...Object.fromEntries(requested) };
}

function toNamespaceOptions({ user, canForbidNamespaces, network }: SandboxFacts): string[] {
  return [
    "--unshare-user",
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    ...(network === "none" ? ["--unshare-net"] : []),
    "--uid",
    String(user.uid),
    "--gid",
    String(user.gid),
    ...(canForbidNamespaces ? ["--disable-userns"] : []),
    "--cap-drop",
    "ALL",
    "--die-with-parent",
    "--hostname",
    "sandbox",
  ];
}

/** Known names; none holds a secret unless the user put one there. */
const HARMLESS_VARIABLES: ReadonlySet<string> = new Set(
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

function toSandboxEnvironment(request: EnvironmentRequest): Record<string, string> {
  return selectVariables(request, HARMLESS_VARIABLES);
}
