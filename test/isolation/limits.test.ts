// Limits that are really hit: by control groups where this process may make them, else by prlimit,
// in containers by their own options.

import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Isolation } from "../../protocol/isolation.ts";
import { findCgroups } from "../../bridge/providers/cgroups.ts";
import type { Limits } from "../../bridge/providers/settings.ts";
import { canContain, makeRootfs, PODMAN } from "../support/rootfs.ts";
import { until } from "../support/waiting.ts";
import type { WalledWorld } from "../support/walls.ts";
import { canSandbox, openWalls, WHO } from "../support/walls.ts";

const MiB = 1 << 20;
const LIMITS: Limits = {
  memory: 48 * MiB,
  pids: 24,
  cpuTime: 1,
  fileSize: MiB,
  openFiles: 64,
};

const isHere = await canSandbox();
const hasContainers = canContain();

/** Forks until it may not, and says how far it came. */
const FORKS = 'i=0; while [ $i -lt 60 ]; do sleep 30 & i=$((i + 1)); echo "forked $i"; done';
const MEMORY = "head -c 100000000 /dev/zero | tail -c 90000000 | wc -c";

describe.each(WHO)("%s", (who) => {
  let world: WalledWorld;
  beforeAll(async () => {
    world = await openWalls(who, (top) => ({
      limits: LIMITS,
      container: hasContainers ? { rootfs: makeRootfs(top), ...PODMAN } : { options: [] },
    }));
  });
  afterAll(() => world.close());

  const levels: Isolation[] = [
    "none",
    ...(isHere ? (["sandbox"] as const) : []),
    ...(hasContainers ? (["container"] as const) : []),
  ];

  // The kernel does these alike for everybody, and they take a second each.
  const once = levels.filter((level) => who === WHO[0] || level === "sandbox");

  test.each(once)(
    "I15 at level %s a file, open files and time on a processor have their limits",
    async (level) => {
      const isHit = level === "sandbox" && who === WHO[0];
      const { text } = await world.run(
        `dd if=/dev/zero of=big bs=1024 count=4096 2>/dev/null; echo "dd $?"; wc -c < big; ulimit -n; ulimit -t; ${isHit ? '(while :; do :; done); echo "loop $?"' : ""}`,
        { level },
      );
      // A file that grows beyond its limit costs the program a signal: 128 + SIGXFSZ.
      expect(text).toMatch(/^dd (?:153|1)\n1048576\n64\n1\n/);
      // A second on a processor is a second of the machine's: one level really takes it.
      if (isHit) expect(text).toMatch(/loop 13[17]|loop 152/);
    },
  );

  test.each(levels)(
    "I15 at level %s memory and processes have their limits, or it is said that they have none",
    async (level) => {
      const untold = await world.walls.unenforced(level);
      const isCounted = (limit: string) => !untold.some((sentence) => sentence.includes(limit));
      if (isCounted("limits.memory is not")) {
        const memory = await world.run(`${MEMORY}; echo "memory $?"`, { level });
        expect(memory.text).not.toContain("90000000");
        expect(memory.text).toContain("memory ");
      }
      const forks = await world.run(`${FORKS} 2>&1`, { level });
      if (isCounted("limits.pids")) expect(forks.text).not.toContain("forked 30");
      else expect(forks.text).toContain("forked 60");
    },
  );

  test("I15 what has ended leaves no control group behind", async () => {
    await world.walls.end();
    const home = findCgroups();
    if (home?.version !== 1) return;
    await until("the groups are gone", () =>
      Object.values(home.folders).every(
        (folder) =>
          !readdirSync(folder).some((name) => name.includes(world.place.name.slice(0, 16))),
      ),
    );
  });
});
