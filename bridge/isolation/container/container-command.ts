// Owns the command line of a container: that of a plan, behind `podman run` or `docker run`. Pure.

import type { SpawnPlan } from "../../terminals/spawn-plan.ts";
import { selectVariables } from "../sandbox-variables.ts";
import { renameVariables } from "../renamed-variables.ts";
import { toContainerOptions } from "../limit-options.ts";
import { toProtectedPaths } from "../writable-roots.ts";
import type { Limits } from "../isolation-settings.ts";
import type { ContainerFacts } from "./container-facts.ts";

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
