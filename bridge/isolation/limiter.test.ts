import { expect, test } from "vitest";
import type { Controller } from "./cgroups.ts";
import { cgroupSettings, withCgroups } from "./cgroups.ts";
import { toContainerOptions, toPrlimitArgs } from "./sandbox-options.ts";
import { listUnenforced, toScopeEnvironment, toScopeArgs } from "./limiter.ts";
import type { Limits } from "./isolation-settings.ts";

const ALL: Limits = {
  memory: 1_000_000,
  pids: 50,
  cpu: 1.5,
  cpuTime: 60,
  fileSize: 2_000_000,
  openFiles: 256,
};

test("I86 I87 limits as prlimit writes them; none where there is none", () => {
  expect(toPrlimitArgs("/usr/bin/prlimit", ALL)).toEqual([
    "/usr/bin/prlimit",
    "--data=1000000",
    "--nproc=50",
    "--cpu=60",
    "--fsize=2000000",
    "--nofile=256",
    "--",
  ]);
  expect(toPrlimitArgs("/usr/bin/prlimit", { wallClock: 1 })).toEqual([]);
  expect(toPrlimitArgs(undefined, ALL)).toEqual([]);
});

test("I87 limits as a container's program writes them; what it cannot enforce is left out", () => {
  const ceilings = { openFiles: "1024:4096", processes: "100:200" };
  const words = (memory: boolean, limits: Limits) =>
    toContainerOptions(limits, {
      maxLimits: ceilings,
      enforcedLimits: { memory, pids: true, cpu: true },
    }).join(" ");
  expect(words(true, ALL)).toBe(
    "--memory 1000000 --memory-swap 1000000 --pids-limit 50 --cpus 1.5 --ulimit cpu=60:60 --ulimit fsize=2000000:2000000 --ulimit nofile=256:256 --ulimit nproc=100:200",
  );
  expect(words(false, ALL)).not.toContain("memory");
  expect(words(true, {})).toBe("--ulimit nofile=1024:4096 --ulimit nproc=100:200");
});

test("I86 limits as control groups of both versions have them", () => {
  const listGaps = (version: 1 | 2, limits: Limits) =>
    cgroupSettings(version, limits).map(({ controller, file, value }) =>
      [controller, file, value].join(" "),
    );
  expect(listGaps(1, ALL)).toEqual([
    "memory memory.limit_in_bytes 1000000",
    "memory memory.memsw.limit_in_bytes 1000000",
    "pids pids.max 50",
    "cpu cpu.cfs_quota_us 150000",
  ]);
  expect(listGaps(2, ALL)).toEqual([
    "memory memory.max 1000000",
    "memory memory.swap.max 0",
    "pids pids.max 50",
    "cpu cpu.max 150000 100000",
  ]);
  expect(listGaps(2, { cpuTime: 1 })).toEqual([]);
  expect(withCgroups("/bin/sh", [], ["/bin/true"])).toEqual(["/bin/true"]);
  expect(withCgroups("/bin/sh", ["/a", "/b"], ["/bin/true", "x"]).slice(3)).toEqual([
    "sh",
    "2",
    "/a",
    "/b",
    "/bin/true",
    "x",
  ]);
});

test("I86 limits as systemd has them; the way to it is not passed on", () => {
  const scope = { systemdRun: "/usr/bin/systemd-run", env: "/usr/bin/env", isRoot: false };
  expect(toScopeArgs(scope, ALL).join(" ")).toBe(
    "/usr/bin/systemd-run --user --scope --quiet --collect --property MemoryMax=1000000 --property MemorySwapMax=0 --property TasksMax=50 --property CPUQuota=150% -- /usr/bin/env --unset XDG_RUNTIME_DIR --unset DBUS_SESSION_BUS_ADDRESS",
  );
  const given = { XDG_RUNTIME_DIR: "/run/user/1", DBUS_SESSION_BUS_ADDRESS: "x" };
  expect(toScopeArgs(scope, { pids: 5 }, given).at(-1)).toBe("--");
  expect(toScopeArgs({ ...scope, isRoot: true }, { pids: 5 })).not.toContain("--user");
  expect(toScopeArgs(scope, { fileSize: 5 })).toEqual([]);
  expect(toScopeEnvironment(scope, { ...given, SECRET: "x" })).toEqual(given);
});

test("I16 of the limits that are set, those which this machine does not enforce are told", () => {
  const listGaps = (
    level: "none" | "sandbox" | "container",
    holds: Controller[],
    more: { isRoot?: boolean; hasPrlimit?: boolean } = {},
  ) => {
    const sentences = listUnenforced(ALL, level, {
      groupLimits: new Set(holds),
      hasPrlimit: true,
      isRoot: false,
      ...more,
    });
    return sentences.map((sentence) => sentence.split(/[ :]/)[0]?.slice("limits.".length));
  };
  expect(listGaps("sandbox", ["memory", "pids", "cpu"])).toEqual([]);
  expect(listGaps("sandbox", [])).toEqual(["memory", "cpu"]);
  expect(listGaps("sandbox", [], { isRoot: true })).toEqual(["memory", "pids", "cpu"]);
  expect(listGaps("none", [])).toEqual(["memory", "pids", "cpu"]);
  expect(listGaps("container", ["memory"])).toEqual(["pids", "cpu"]);
  expect(listGaps("none", ["memory", "pids", "cpu"], { hasPrlimit: false })).toEqual([
    "cpuTime",
    "fileSize",
    "openFiles",
  ]);
  expect(
    listUnenforced({}, "none", { groupLimits: new Set(), hasPrlimit: false, isRoot: true }),
  ).toEqual([]);
});
