// Owns the settings of isolation and limits: the minimum for agents, sandbox, container, limits.
// All but the minimum are settable in files only.

import * as z from "zod/mini";
import { Isolation, ISOLATIONS } from "../../protocol/isolation.ts";
import { parseDuration } from "../grants/duration.ts";
import { NETWORKS, RUNTIMES } from "../isolation/isolation-settings.ts";
import type { ProjectRule, SettingRow } from "./setting-shapes.ts";

const MAX_READABLE = 64;
const KILOBYTE = 1_024;
const MEGABYTE = 1_024 * KILOBYTE;
const UNITS: Readonly<Record<string, number>> = {
  k: KILOBYTE,
  m: MEGABYTE,
  g: 1_024 * MEGABYTE,
};
/** Enough for a shell and one program. */
const MIN_MEMORY = 16 * MEGABYTE;
const MIN_PIDS = 8;
const MIN_FILES = 16;
const MAX_COUNT = 1_000_000;
const MIN_CPU = 0.1;
const MAX_CPU = 1_024;
const SECOND_MS = 1_000;
const WEEK_MS = 7 * 24 * 3_600_000;

const path = () => z.string().check(z.minLength(1), z.maxLength(4_096));

/** Sizes as people write them: `512m`. */
const size = (minimum: number) =>
  z.string().check(
    z.regex(/^\d{1,6}[kmg]$/),
    z.refine((value) => parseBytes(value) >= minimum),
  );
const count = (minimum: number) => z.int().check(z.gte(minimum), z.lte(MAX_COUNT));
const duration = () =>
  z.string().check(
    z.regex(/^\d{1,9}[smhd]$/),
    z.refine((value) => {
      const milliseconds = parseDuration(value) ?? Infinity;
      return milliseconds >= SECOND_MS && milliseconds <= WEEK_MS;
    }),
  );

export const isolationShapes = {
  "agents.isolation": Isolation,
  "sandbox.network": z.enum(NETWORKS),
  "sandbox.readable": z.array(path()).check(z.maxLength(MAX_READABLE)),
  "container.image": z.string().check(z.regex(/^[\w][\w./:@-]{0,254}$/)),
  "container.rootfs": path(),
  "container.runtime": z
    .string()
    .check(
      z.maxLength(500),
      z.regex(new RegExp(`^(${RUNTIMES.join("|")})( --?[\\w-]+( [^\\s-]\\S*)?)*$`)),
    ),
  "limits.memory": size(MIN_MEMORY),
  "limits.pids": count(MIN_PIDS),
  "limits.cpu": z.number().check(z.gte(MIN_CPU), z.lte(MAX_CPU)),
  "limits.cpuTime": duration(),
  "limits.fileSize": size(KILOBYTE),
  "limits.openFiles": count(MIN_FILES),
  "limits.wallClock": duration(),
};

/** Converts a valid size to bytes; NaN for other text. */
export function parseBytes(value: string): number {
  return Number(value.slice(0, -1)) * (UNITS[value.slice(-1)] ?? Number.NaN);
}

/** The default is no limit, so any value in a project's file is stricter. */
const ONLY_TIGHTER: ProjectRule = {
  may: "tighten",
  why: "a limit only restricts",
  how: "any limit",
  isNoWider: () => true,
};

const limit = {
  flag: undefined,
  default: undefined,
  defaultWords: "no limit",
  project: ONLY_TIGHTER,
};

const sizeRow = { form: "text" as const, noun: "a size" };
const durationRow = {
  form: "text" as const,
  noun: "a time",
  right: "Write 1s to 7d, as in 90s, 30m or 2h.",
};

export const isolationRows: Readonly<Record<keyof typeof isolationShapes, SettingRow>> = {
  "agents.isolation": {
    form: "text",
    default: "none",
    flag: "--agent-isolation",
    noun: "a level of isolation",
    right: `Write one of ${ISOLATIONS.join(", ")}.`,
    about:
      "The minimum isolation of what agents start: `none`, `sandbox` or `container`. A token or a call may ask for more, never for less. See [isolation](isolation.md).",
    example: "sandbox",
    project: { ...ONLY_TIGHTER, how: "any level", why: "isolation only restricts" },
  },
  "sandbox.network": {
    form: "text",
    default: "none",
    flag: undefined,
    noun: "a network",
    right: `Write one of ${NETWORKS.join(", ")}.`,
    about:
      "The network of sandboxed agents: `none` is a loopback of their own, `host` is everything this machine can reach, including its loopback and abstract sockets. It also applies to containers.",
    example: "host",
    project: {
      may: "tighten",
      why: "agents could send your files away",
      how: "only `none`",
      isNoWider: (value) => value === "none",
    },
  },
  "sandbox.readable": {
    form: "folders",
    default: [],
    flag: undefined,
    noun: "a list of paths",
    right: `Write a list of paths, ["~/.m2"], at most ${MAX_READABLE}.`,
    about:
      "Folders and files that a sandbox may read, in addition to the system's and those of PATH. A relative path starts at the file's folder; `~/` is your home.",
    example: ["~/.m2"],
    project: { may: "trust", why: "agents get more of your files" },
  },
  "container.image": {
    form: "text",
    default: undefined,
    defaultWords: "none: containers need one",
    flag: undefined,
    noun: "an image's name",
    right: "Name an image that is on this machine, as docker or podman write it.",
    about: "The image for containers. pairpty does not download it: pull it first.",
    example: "node:20-bookworm",
    project: { may: "trust", why: "what runs in a container comes from its image" },
  },
  "container.rootfs": {
    form: "text",
    default: undefined,
    defaultWords: "none: the image counts",
    flag: undefined,
    noun: "a folder",
    right: "Name a folder that has a root file system in it. podman only.",
    about:
      "A folder with a root file system, instead of an image; podman only. A relative path starts at the file's folder; `~/` is your home.",
    example: "~/rootfs",
    project: { may: "trust", why: "what runs in a container comes from it" },
  },
  "container.runtime": {
    form: "text",
    default: undefined,
    defaultWords: "podman, else docker",
    flag: undefined,
    noun: "a container program",
    right: `Write ${RUNTIMES.join(" or ")}, followed by its options: "podman --runtime runc".`,
    about: "The program that runs containers, and options for it.",
    example: "podman --runtime runc",
    project: { may: "trust", why: "it runs as you" },
  },
  "limits.memory": {
    ...limit,
    ...sizeRow,
    right: "Write 16m or more, as in 512m or 2g.",
    about:
      "Memory of each thing that an agent starts: of all its processes together in a cgroup or a container, of each process elsewhere.",
    example: "2g",
  },
  "limits.pids": {
    ...limit,
    form: "number",
    noun: "a number of processes",
    right: `Write a whole number from ${MIN_PIDS} to ${MAX_COUNT}.`,
    about: "Processes and threads of each thing that an agent starts.",
    example: 256,
  },
  "limits.cpu": {
    ...limit,
    form: "number",
    noun: "a number of cores",
    right: `Write a number from ${MIN_CPU} to ${MAX_CPU}; 1.5 is one and a half cores.`,
    about: "Cores that each thing that an agent starts may use at once. Needs a cgroup.",
    example: 2,
  },
  "limits.cpuTime": {
    ...limit,
    ...durationRow,
    about: "Time on a processor of each process that an agent starts.",
    example: "10m",
  },
  "limits.fileSize": {
    ...limit,
    ...sizeRow,
    right: "Write 1k or more, as in 100m or 2g.",
    about: "The largest file that an agent's process may write.",
    example: "1g",
  },
  "limits.openFiles": {
    ...limit,
    form: "number",
    noun: "a number of files",
    right: `Write a whole number from ${MIN_FILES} to ${MAX_COUNT}.`,
    about: "Files that an agent's process may have open at once.",
    example: 4_096,
  },
  "limits.wallClock": {
    ...limit,
    ...durationRow,
    about:
      "After this long, pairpty ends what an agent started, busy or not. Promoted terminals are yours, so they stay.",
    example: "1h",
  },
};
