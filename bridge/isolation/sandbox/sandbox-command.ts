// Owns the command line of a sandbox: that of a plan, behind bubblewrap and the programs around it.
// Pure. Two `env`s handle signals: bubblewrap ignores those meant for the program, and the program gets
// the defaults back.

import { join } from "node:path";
import type { SpawnPlan } from "../../terminals/spawn-plan.ts";
import { renameVariables } from "../renamed-variables.ts";
import { toPrlimitArgs } from "../limit-options.ts";
import type { Limits } from "../isolation-settings.ts";
import { toSandboxEnvironment } from "./sandbox-environment.ts";
import type { SandboxFacts } from "./sandbox-facts.ts";
import { toMountOptions } from "./sandbox-mounts.ts";

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
