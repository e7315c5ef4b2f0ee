// A real podman around real programs in real PTYs, for root and for a plain user, in a root file
// system of busybox.

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findTool } from "../../bridge/isolation/find-tool.ts";
import { canContain, makeRootfs, PODMAN } from "../support/rootfs.ts";
import { until } from "../support/waiting.ts";
import { expectTerminal } from "../support/walled-terminal.ts";
import type { IsolatedWorld } from "../support/walls.ts";
import { openIsolation, WHO } from "../support/walls.ts";

const isHere = canContain();
const level = "container";

describe.each(WHO)("%s", { skip: !isHere }, (who) => {
  let world: IsolatedWorld;
  beforeAll(async () => {
    world = await openIsolation(
      who,
      (top) => ({ container: { rootfs: makeRootfs(top), ...PODMAN } }),
      {
        AWS_SECRET_ACCESS_KEY: "hunter2",
        COOKIE: "hunter2",
        LANG: "C.UTF-8",
      },
    );
    world.write(join(world.folder, ".git", "config"), "[core]\n");
    world.write(join(world.home, "private"), "hunter2\n", 0o644);
  });
  afterAll(() => world.close());

  /** The names of this workspace's containers. */
  const containers = () => {
    const filter = `label=pairpty.workspace=${world.place.name}`;
    const listing = ["ps", "--all", "--format", "{{.Names}}", "--filter", filter];
    const words = ["--log-level", "fatal", ...PODMAN.options, ...listing];
    return world.ask(findTool("podman") ?? "", ...words);
  };

  // Root's has the same first process; the tests below start it as well.
  test.each(who === WHO.at(-1) ? [level] : [])(
    "I85 a terminal in a %s is a terminal: sizes, keys, job control, exit codes, signals",
    async () => {
      await expectTerminal(world, level);
    },
  );

  test("I13 I84 it writes the workspace and /tmp, reads its own system, and has no network and no capability", async () => {
    const { text, exit } = await world.run(
      `
      echo built > result; echo x > /tmp/x && echo tmp; env
      echo x > /x; echo x > /etc/x; echo x > ${world.top}/x; cat ${world.home}/private; ls ${world.top}
      for f in .git/config .git/hooks/post-checkout .envrc .mcp.json .vscode/tasks.json pairpty.config.json; do
        echo evil > $f; rm -rf $f; mv $f moved
      done
      mv .git stolen; rm -rf .git .vscode
      grep -E 'Cap|NoNewPrivs' /proc/self/status; cat /proc/net/dev | grep -c :; ls /proc/self/fd
      (: >> /proc/sys/kernel/core_pattern) && echo writable
      echo done; exit 9`,
      { level },
    );
    expect([exit.exitCode, text.includes("\ndone\n")], text).toEqual([9, true]);
    expect(readFileSync(join(world.folder, "result"), "utf8")).toBe("built\n");
    expect(text).toMatch(/^tmp$/m);
    expect(text).toMatch(/^HOME=\/tmp$/m);
    expect(text).toMatch(/^LANG=C.UTF-8$/m);
    expect(text).not.toMatch(/hunter2|writable|XDG_RUNTIME_DIR/);
    expect(text).toMatch(/CapEff:\t0+\nCapBnd:\t0+\n/);
    expect(text).toContain("NoNewPrivs:\t1");
    expect(existsSync(join(world.top, "x"))).toBe(false);
    expect(readFileSync(join(world.folder, ".git", "config"), "utf8")).toBe("[core]\n");
    expect(existsSync(join(world.folder, ".git", "hooks", "post-checkout"))).toBe(false);
    expect(existsSync(join(world.folder, ".envrc"))).toBe(false);
  });

  test("I21 every folder in memory that it writes has a size", async () => {
    const { text } = await world.run(
      `grep ' tmpfs rw' /proc/mounts | while read _ path _; do
        mkdir $path/probe 2> /dev/null && rmdir $path/probe && echo $path $(df -Pk $path | tail -1)
      done; grep MemTotal /proc/meminfo`,
      { level },
    );
    const total = Number(/^MemTotal: +(\d+) kB$/m.exec(text)?.[1]);
    const folders = [...text.matchAll(/^(\/\S*) \S+ (\d+) /gm)];
    expect(folders.map(([, path]) => path)).toContain("/tmp");
    const sum = folders.reduce((all, [, , kilobytes]) => all + Number(kilobytes), 0);
    expect(sum, text).toBeLessThanOrEqual(total / 2);
  });

  test("I14 nothing is left of it: not after its end, not after a kill -9 of client or pty host", async () => {
    const up = async () => {
      const terminal = await world.start(["/bin/sh", "-c", "echo up; sleep 1000"], { level });
      await terminal.saw("up");
      return terminal;
    };
    // Each look is a podman, which costs more than what it looks for.
    const gone = () =>
      until("no container is left", async () => (await containers()) === "", { pollMs: 500 });
    await gone();
    const left = await up();
    // Root's end is the same, and the test above has shown one.
    const ended = who === WHO.at(-1) ? await up() : undefined;
    const name = String.raw`pairpty-\S+`;
    const names = ended === undefined ? `^${name}$` : `^${name}\n${name}$`;
    expect(await containers()).toMatch(new RegExp(names));
    ended?.signal("SIGKILL");
    await ended?.exit();
    // Nobody lets go of this one, as when the bridge was killed with its client.
    process.kill(left.pid, "SIGKILL");
    await gone();
    await up();
    process.kill(world.hostPid, "SIGKILL");
    // As the next bridge finds it: nobody holds it any more.
    const next = world.again();
    const nothing = { running: () => [], get: () => undefined, signalResize: () => {} };
    next.watch({ ...nothing, onEvent: () => () => {} })();
    await next.end();
    expect(await containers()).toBe("");
  });
});

// What else a container may lack is told beside the code: bridge/isolation/container/container-probe.test.ts.
test.skipIf(!isHere)(
  "I2 an image that podman does not have is refused, with what to do",
  async () => {
    const image = `pairpty-none-${randomBytes(4).toString("hex")}`;
    const world = await openIsolation(WHO[0] ?? "plain user", { container: { ...PODMAN, image } });
    await expect(world.run("true", { level })).rejects.toThrow(
      `The image ${image} is not on this machine. Pull it: podman pull ${image}.`,
    );
    await world.close();
  },
);
