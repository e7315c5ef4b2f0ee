// Owns a terminal as the pool knows it, without a pty host behind it.

import type { PoolTerminal } from "../../bridge/terminals/terminal.ts";

export function poolTerminal(request: Partial<PoolTerminal> = {}): PoolTerminal {
  return {
    id: "pty-000001",
    handle: 1,
    epoch: 7,
    pid: 1,
    meta: { cwd: "/", owner: "user", visible: true, createdAt: 0 },
    title: "",
    cols: 80,
    rows: 24,
    life: { state: "running" },
    finished: new Promise(() => {}),
    finish: () => {},
    announced: false,
    end: 0,
    queries: [],
    inputs: 0,
    answers: 0,
    ...request,
  };
}
