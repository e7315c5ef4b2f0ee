// Owns the command line of a container: that of a plan, behind `podman run` or `docker run`. Also
// owns what the builder of containers knows about this machine and this workspace, as plain values.

import type { SpawnPlan } from "../../terminals/spawn-plan.ts";
import type { Limits, Network, Runtime } from "../isolation-settings.ts";
import type { FolderSizes } from "../sandbox-locations.ts";
import { selectVariables, renameVariables, toContainerOptions } from "../sandbox-options.ts";
import type { WritableRoot } from "../writable-roots.ts";
import { toProtectedPaths } from "../writable-roots.ts";

/** Facts known after a trial container has run. */
export interface ContainerTools {
  readonly runtime: Runtime;
  /** The full path of the program. */
  readonly program: string;
  readonly version: string;
  /** Options of the program itself, before `run`. */
  readonly options: readonly string[];
  /** Options of `run`. */
  readonly runOptions: readonly string[];
  /** The user inside, as an option of the program: `--userns=keep-id`. */
  readonly identity: readonly string[];
  /** Which limits that need a cgroup are enforced. */
  readonly enforcedLimits: {
    readonly memory: boolean;
    readonly pids: boolean;
    readonly cpu: boolean;
  };
  readonly firstProcess: FirstProcess;
}

/**
 * The first process of a container ignores Ctrl-C and similar signals unless it handles them, so the
 * program itself must not be the first.
 */
export interface FirstProcess {
  /** Options of `run`. */
  readonly options: readonly string[];
  /** Words before the command. */
  readonly words: readonly string[];
  /** Whether signals such as TERM, sent to the client, reach the program. */
  readonly passesSignals: boolean;
}

export interface ContainerFacts extends ContainerTools {
  /** Arguments that name its file system: `["image:tag"]` or `["--rootfs", "/folder"]`. */
  readonly source: readonly string[];
  /** Our files that git finds in its home. */
  readonly git: { readonly config: string; readonly ignore: string };
  readonly roots: readonly WritableRoot[];
  /** pairpty's own folders, as real paths. */
  readonly hidden: readonly string[];
  readonly sizes: FolderSizes;
  readonly network: Network;
  /** The name of the workspace, for labels. */
  readonly label: string;
  /**
   * Variables that the container program needs from the user's environment; the container sees none of
   * them.
   */
  readonly environment: Readonly<Record<string, string>>;
  readonly envAllowlist: ReadonlySet<string>;
  /** Limits of this process: open files and processes. */
  readonly maxLimits: { readonly openFiles: string; readonly processes: string };
}

/** The path inside. */
export const GIT_IGNORED = "/tmp/.gitignore";
export const WORKSPACE_LABEL = "pairpty.workspace";

/** Folders, programs and home come from the image, so only variables about output are useful. */
const HARMLESS_VARIABLES: ReadonlySet<string> = new Set(
  "LANG LANGUAGE TZ TERM COLORTERM TERM_PROGRAM NO_COLOR FORCE_COLOR CI NODE_ENV DEBUG".split(" "),
);

/** An image sets its own PATH; a folder has none. */
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** podman can disable detach keys; docker gets keys that are never typed in this order. */
const DETACH_KEYS = { podman: "", docker: "ctrl-^,ctrl-_,ctrl-^,ctrl-_" };

export function wrapInContainer(
  plan: SpawnPlan,
  facts: ContainerFacts,
  limits: Limits,
  name: string,
): SpawnPlan {
  const { program, options, runOptions, identity, source, environment, firstProcess } = facts;
  const { env, added } = plan;
  const isFolder = source[0] === "--rootfs";
  const hasNetwork = facts.network === "host";
  const inside = selectVariables(
    { env, added, envAllowlist: facts.envAllowlist, hasNetwork },
    HARMLESS_VARIABLES,
  );
  const given = renameVariables("/bin/sh", inside);
  const own = ["HOME=/tmp", "TMPDIR=/tmp", ...(isFolder ? [`PATH=${PATH}`] : [])];
  const argv: [string, ...string[]] = [
    program,
    ...options,
    "run",
    ...(plan.lane === "command" ? ["--interactive"] : ["--interactive", "--tty"]),
    "--name",
    name,
    "--label",
    `${WORKSPACE_LABEL}=${facts.label}`,
    ...firstProcess.options,
    "--network",
    facts.network,
    "--cap-drop",
    "all",
    "--security-opt",
    "no-new-privileges",
    "--security-opt",
    "label=disable",
    "--read-only",
    ...toPrivateFolderOptions(facts),
    "--detach-keys",
    DETACH_KEYS[facts.runtime],
    ...identity,
    ...toContainerOptions(limits, facts),
    ...toMountOptions(facts),
    "--workdir",
    plan.cwd,
    // Passes names only, so that the list of processes does not show values.
    ...[...own, ...Object.keys(given.env)].flatMap((entry) => ["--env", entry]),
    ...runOptions,
    ...(isFolder ? [] : ["--pull", "never", "--entrypoint", ""]),
    ...source,
    ...firstProcess.words,
    ...given.words,
    ...plan.argv,
  ];
  return {
    ...plan,
    argv,
    env: { ...environment, ...given.env },
    isolation: "container",
    container: name,
  };
}

/** Sizes /run and /var/tmp: with `--read-only` podman would give each half the machine's memory. */
function toPrivateFolderOptions({ runtime, sizes }: ContainerFacts): string[] {
  const folders = [
    `/tmp:rw,exec,nosuid,nodev,mode=1777,size=${sizes.tmp}`,
    ...(runtime === "podman"
      ? [
          `/var/tmp:rw,nosuid,nodev,mode=1777,size=${sizes.varTmp}`,
          `/run:rw,nosuid,nodev,size=${sizes.varTmp}`,
        ]
      : []),
  ];
  return folders.flatMap((folder) => ["--tmpfs", folder]);
}

/** Mounts folders at the same paths inside, so that the paths in error messages are right. */
function toMountOptions({ roots, hidden, git }: ContainerFacts): string[] {
  const { anchors, guards, concealed } = toProtectedPaths(roots, hidden);
  return [
    "--volume",
    `${git.config}:/tmp/.gitconfig:ro`,
    "--volume",
    `${git.ignore}:${GIT_IGNORED}:ro`,
    ...[...roots.map(({ path }) => path), ...anchors].flatMap((path) => [
      "--volume",
      `${path}:${path}`,
    ]),
    ...guards.flatMap((path) => ["--volume", `${path}:${path}:ro`]),
    ...concealed.flatMap((path) => ["--tmpfs", `${path}:ro,size=4k`]),
  ];
}
