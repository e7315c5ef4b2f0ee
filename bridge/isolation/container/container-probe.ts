// Owns finding out whether containers work here: the program, its daemon, the limits it enforces and
// the image. A failure is one sentence, with another that says what to do.

import { existsSync } from "node:fs";
import type { ProgramResult, RunProgram } from "../../processes/run-program.ts";
import type { Ability } from "../find-tool.ts";
import { toUnavailable } from "../find-tool.ts";
import type { ContainerSettings, Runtime } from "../isolation-settings.ts";
import { RUNTIMES } from "../isolation-settings.ts";
import type { ContainerTools, FirstProcess } from "./container-command.ts";

const ANSWER_MS = 10_000;

/** Templates that print one word each, separated by spaces. */
const INFO_TEMPLATES: Readonly<Record<Runtime, string>> = {
  podman:
    "{{.Version.Version}} {{.Host.Security.Rootless}} {{.Host.CgroupsVersion}} {{len .Host.IDMappings.UIDMap}} {{range .Host.CgroupControllers}}{{.}},{{end}}",
  docker:
    "{{.ServerVersion}} {{range .SecurityOptions}}{{.}},{{end}} {{.MemoryLimit}} {{.PidsLimit}} {{.CPUCfsQuota}}",
};

export type ContainerProgram = Omit<ContainerTools, "firstProcess">;

export interface ProbeUser {
  readonly isRoot: boolean;
  readonly uid: number;
  readonly gid: number;
}

/** Returns the program and its abilities; does not check whether a container of this image starts. */
export async function probeProgram(
  run: RunProgram,
  settings: ContainerSettings,
  find: (name: string) => string | undefined,
  who: ProbeUser,
): Promise<Ability<ContainerProgram>> {
  const wanted = settings.runtime === undefined ? RUNTIMES : [settings.runtime];
  const there = wanted.flatMap((runtime) => {
    const program = find(runtime);
    return program === undefined ? [] : [{ runtime, program }];
  });
  if (there.length === 0) {
    return toUnavailable(
      `${wanted.join(" and ")} ${wanted.length === 1 ? "is" : "are"} not installed`,
      "Install podman or docker",
    );
  }
  const problems: string[] = [];
  for (const { runtime, program } of there) {
    const { options, runOptions } = splitOptions(runtime, settings.options);
    const quiet = [...options, ...(runtime === "podman" ? ["--log-level", "fatal"] : [])];
    const ran = await run(
      program,
      [...quiet, "info", "--format", INFO_TEMPLATES[runtime]],
      ANSWER_MS,
    );
    if (ran.is === "ended" && ran.code === 0 && ran.firstLine !== "") {
      const info = ran.firstLine.split(" ");
      const found = runtime === "podman" ? parsePodmanInfo(info) : parseDockerInfo(info, who);
      return { ok: true, value: { runtime, program, options: quiet, runOptions, ...found } };
    }
    const why = ran.is === "ended" ? ran.errorLine : "it did not answer";
    problems.push(`${runtime} does not work here: ${why}`);
  }
  return toUnavailable(
    problems.join("; "),
    "For docker, start its daemon and be allowed to use it (group docker); for podman, `podman info` shows why",
  );
}

/** Splits the user's options: podman takes `--runtime` itself, docker's `run` does. */
function splitOptions(runtime: Runtime, all: readonly string[]) {
  const at = all.indexOf("--runtime");
  if (runtime === "podman" || at === -1) return { options: all, runOptions: [] };
  return { options: all.toSpliced(at, 2), runOptions: all.slice(at, at + 2) };
}

type ProgramInfo = Pick<ContainerTools, "version" | "identity" | "enforcedLimits">;

function parsePodmanInfo([
  version = "",
  rootless,
  cgroups,
  mappings,
  controllers = "",
]: string[]): ProgramInfo {
  const isRootless = rootless === "true";
  // Version 1 of cgroups delegates nothing to plain users.
  const names = isRootless && cgroups === "v1" ? [] : controllers.split(",");
  return {
    version,
    identity: isRootless
      ? Number(mappings) > 1
        ? ["--userns", "keep-id"]
        : // Only one user exists inside, and it is the user outside.
          ["--user", "0:0"]
      : [],
    enforcedLimits: {
      memory: names.includes("memory"),
      pids: names.includes("pids"),
      cpu: names.includes("cpu"),
    },
  };
}

function parseDockerInfo(
  [version = "", security = "", memory, pids, cpu]: string[],
  { isRoot, uid, gid }: ProbeUser,
): ProgramInfo {
  const isRootless = security.includes("rootless");
  return {
    version,
    // Otherwise root would own the files that the container writes.
    identity: isRoot || isRootless ? ["--user", "0:0"] : ["--user", `${uid}:${gid}`],
    enforcedLimits: { memory: memory === "true", pids: pids === "true", cpu: cpu === "true" },
  };
}

/** Returns `["image"]` or `["--rootfs", folder]` if it exists. */
export async function probeSource(
  run: RunProgram,
  { image, rootfs }: ContainerSettings,
  { runtime, program, options }: ContainerProgram,
): Promise<Ability<readonly string[]>> {
  if (rootfs !== undefined) {
    if (runtime === "docker") {
      return toUnavailable(
        "docker cannot run a root file system from a folder",
        "Set container.image, or use podman",
      );
    }
    if (!existsSync(rootfs))
      return toUnavailable(`${rootfs} does not exist`, "Set container.rootfs to a folder");
    return { ok: true, value: ["--rootfs", rootfs] };
  }
  if (image === undefined) return toUnavailable(...NO_SOURCE);
  const ran = await run(
    program,
    [...options, "image", "inspect", "--format", "ok", image],
    ANSWER_MS,
  );
  if (ran.is === "ended" && ran.code === 0) return { ok: true, value: [image] };
  return toUnavailable(
    `The image ${image} is not on this machine`,
    `Pull it: ${runtime} pull ${image}`,
  );
}

export const NO_SOURCE = [
  "Isolation level container needs an image",
  "Set container.image in your configuration, as in node:20-bookworm",
] as const;

/** Returns the candidates, from the best to the one that always works. */
export function firstProcesses(
  runtime: Runtime,
  find: (name: string) => string | undefined,
): FirstProcess[] {
  const shell = {
    options: [],
    words: ["/bin/sh", "-c", '"$@"; exit $?', "sh"],
    passesSignals: false,
  };
  const own = { options: ["--init"], words: [], passesSignals: true };
  if (runtime === "docker") return [own, shell];
  const tini = find("tini-static");
  const better = { ...own, options: ["--init", "--init-path", tini ?? ""] };
  // podman's own init, catatonit 0.1.7, blocks Ctrl-Z for what it starts; GNU env undoes that.
  const reset = { ...own, words: ["env", "--default-signal"] };
  return [...(tini === undefined ? [] : [better]), reset, shell];
}

/** Returns why the last trial failed. Pure. */
export function explainContainerFailure(runtime: Runtime, ran: ProgramResult): Ability<never> {
  const why = ran.is === "ended" ? ran.errorLine : "it did not answer";
  if (/\/bin\/sh"?: (?:stat )?.*(?:no such file|not found)/i.test(why)) {
    return toUnavailable("The container's image has no /bin/sh", "Use an image with a shell");
  }
  return toUnavailable(
    `${runtime} cannot start a container here: ${why}`,
    "Try `pairpty doctor`, another container.runtime, or a sandbox",
  );
}
