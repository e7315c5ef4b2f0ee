// Owns the rows of isolation: from the wish to the first output of a program, without a wall and in a
// sandbox, one after the other. A pty host of its own, and no relay: the wall is all that differs.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launch, waitForAnswer } from "../../bridge/processes/launch.ts";
import { endProcess, waitForEnd, recordProcess } from "../../bridge/processes/process-record.ts";
import { NO_ISOLATION } from "../../bridge/isolation/isolation-settings.ts";
import { IsolationService } from "../../bridge/isolation/isolation-service.ts";
import { HostClient } from "../../bridge/terminals/host-client.ts";
import type { SpawnPlan } from "../../bridge/terminals/spawn-plan.ts";
import { planSpawn } from "../../bridge/terminals/spawn-plan.ts";
import type { Bench } from "../bench.ts";
import type { Row } from "../figures.ts";
import { atMost } from "../figures.ts";
import { SANDBOX_ADDED_AT_MOST_MS, SANDBOX_STARTS, SANDBOX_WARM_UP } from "../plan.ts";
import { percentile } from "../statistics.ts";

const PTY_HOST = join(import.meta.dirname, "..", "bridge", "pty-host.js");
const START_MS = 15_000;
const END_MS = 6_000;
const GRACE_MS = 5_000;

export async function isolationRows(bench: Bench): Promise<Row[]> {
  const folder = join(bench.folder, "isolation");
  const workspace = join(folder, "workspace");
  mkdirSync(workspace, { recursive: true });
  const place = {
    roots: [workspace],
    ownFolders: [],
    folder: join(folder, "files"),
    placeholders: join(folder, "placeholders"),
    name: "bench",
    shell: "/bin/sh",
    envAllowlist: new Set<string>(),
  };
  const isolationService = new IsolationService(place, NO_ISOLATION);
  const ability = await isolationService.getAbility("sandbox");
  if (!ability.ok) {
    bench.note(`no sandbox is measured here: ${ability.why}`);
    return [];
  }
  const [socket, log] = [join(folder, "host.sock"), join(folder, "pty-host.log")];
  const child = launch(PTY_HOST, ["--socket", socket, "--grace-ms", String(GRACE_MS)], log);
  const host = await waitForAnswer(() => HostClient.connect(socket), child, log, START_MS);
  try {
    return [toRow(await measure(host, isolationService, workspace))];
  } finally {
    const process = recordProcess(host.welcome.pid);
    host.shutdown();
    if (!(await waitForEnd(process, END_MS))) await endProcess(process, END_MS);
    host.close();
    await isolationService.end();
  }
}

type Level = "none" | "sandbox";

async function measure(
  host: HostClient,
  isolationService: IsolationService,
  cwd: string,
): Promise<Readonly<Record<Level, number[]>>> {
  const samples: Record<Level, number[]> = { none: [], sandbox: [] };
  const first = new Map<number, () => void>();
  host.listen({
    onOutput: (handle) => first.get(handle)?.(),
    onGap: () => {},
    onActivity: () => {},
    onQuery: () => {},
    onTitle: () => {},
    onExited: () => {},
    onClosed: () => {},
    onFault: () => {},
  });
  const defaults = { folder: cwd, shell: "/bin/sh", environment: process.env };
  for (let round = -SANDBOX_WARM_UP; round < SANDBOX_STARTS; round++) {
    for (const isolation of ["none", "sandbox"] as const) {
      const request = { command: ["echo", "up"], cwd, isolation } as const;
      const planned = planSpawn({ ...request, lane: "background", lifetime: "held" }, defaults);
      if (!planned.ok) throw new Error(planned.error);
      const beganAt = performance.now();
      const isolated = await isolationService.isolate(planned.plan);
      if (!isolated.ok) throw new Error(isolated.error);
      const release = isolationService.hold(isolated.plan);
      await spoken(host, isolated.plan, first);
      if (round >= 0) samples[isolation].push(performance.now() - beganAt);
      release();
    }
  }
  return samples;
}

let count = 0;

async function spoken(
  host: HostClient,
  { argv: [file, ...args], cwd, env, size }: SpawnPlan,
  first: Map<number, () => void>,
): Promise<void> {
  const id = `pty-bench${String(++count).padStart(6, "0")}`;
  const spawn = { id, file, args, cwd, env, ...size, meta: {} };
  await new Promise<void>((resolve, reject) => {
    const take = ({ handle }: { readonly handle: number }) => {
      first.set(handle, resolve);
      host.read(handle, { from: 0, credit: Number.MAX_SAFE_INTEGER, paced: false });
    };
    host.spawn(spawn, take, () => {}).catch(reject);
  });
}

function toRow({ none, sandbox }: Readonly<Record<Level, readonly number[]>>): Row {
  const added = percentile(sandbox, 0.5) - percentile(none, 0.5);
  const figure = (samples: readonly number[]) => ({
    value: percentile(samples, 0.5),
    most: percentile(samples, 0.99),
  });
  return {
    id: "isolation-sandbox",
    what: "spawn to first output: sandbox over none, p50",
    unit: "ms",
    figures: { product: figure(sandbox), bare: figure(none) },
    target: atMost(
      SANDBOX_ADDED_AT_MOST_MS,
      added,
      `≤ ${SANDBOX_ADDED_AT_MOST_MS} ms over none: ${added.toFixed(1)}`,
    ),
    note: "spawn to first output: the column of the bare chain is a start without a wall",
  };
}
