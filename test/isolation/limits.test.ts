// Limits that are really hit: by control groups where this process may make them, else by prlimit,
// in containers by their own options.

import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Isolation } from "../../protocol/isolation.ts";
import { findCgroups } from "../../bridge/isolation/cgroups.ts";
import type { Limits } from "../../bridge/isolation/isolation-settings.ts";
import { canContain, makeRootfs, PODMAN } from "../support/rootfs.ts";
import { until } from "../support/waiting.ts";
import type { IsolatedWorld } from "../support/walls.ts";
import { canSandbox, openIsolation, WHO } from "../support/walls.ts";

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
const MEMORY = 'head -c 100000000 /dev/zero | tail -c 90000000 | wc -c; echo "memory $?"';
const FILES =
  'dd if=/dev/zero of=big bs=1024 count=4096 2>/dev/null; echo "dd $?"; wc -c < big; ulimit -n; ulimit -t';
const LOOP = '(while :; do :; done); echo "loop $?"';

describe.each(WHO)("%s", (who) => {
  let world: IsolatedWorld;
  beforeAll(async () => {
    world = await openIsolation(who, (top) => ({
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

  // One start for all limits: behind a wall, that is what costs.
  test.each(levels)(
    "I15 at level %s files, time on a processor, memory and processes have their limits, or it is said that they have none",
    async (level) => {
      const unenforced = await world.isolationService.listUnenforced(level);
      const isCounted = (limit: string) => !unenforced.some((sentence) => sentence.includes(limit));
      const isMemoryCounted = isCounted("limits.memory is not");
      // A second on a processor is a second of the machine's: one level really takes it.
      const isTimeHit = level === "sandbox" && who === WHO[0];
      const { text } = await world.run(
        `${FILES}; ${isTimeHit ? LOOP : ":"}; ${isMemoryCounted ? MEMORY : ":"}; ${FORKS} 2>&1`,
        { level },
      );
      // A file that grows beyond its limit costs the program a signal: 128 + SIGXFSZ.
      expect(text).toMatch(/^dd (?:153|1)\n1048576\n64\n1\n/);
      if (isTimeHit) expect(text).toMatch(/loop 13[17]|loop 152/);
      expect(text).not.toContain("90000000");
      if (isMemoryCounted) expect(text).toContain("memory ");
      expect(text).toContain("forked 1\n");
      if (isCounted("limits.pids")) expect(text).not.toContain("forked 30");
      else expect(text).toContain("forked 60");
    },
  );

  test("I86 what has ended leaves no control group behind", async () => {
    await world.isolationService.end();
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
