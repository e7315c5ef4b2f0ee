// A pool terminal as the target of a session.

import { expect, test } from "vitest";
import { PERMIT } from "../../test/support/permit.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import { SerialQueue } from "../reading/serial-queue.ts";
import { Unavailable } from "../terminals/unavailable.ts";
import { parseKeys } from "./named-keys.ts";
import type { TerminalTargetDeps } from "./session-target.ts";
import { toTerminalTarget } from "./session-target.ts";

function world(more: Partial<TerminalTargetDeps> = {}) {
  const typed: string[] = [];
  const terminal = poolTerminal();
  let asked = 0;
  const parts: TerminalTargetDeps = {
    output: { fetch: () => Promise.reject(new Unavailable("gone")), watch: () => () => {} },
    getInputBlockedReason: () => undefined,
    pool: {
      input: (_terminal, bytes) => void typed.push(String(bytes)),
      close: () => Promise.resolve(),
      storeSessionProgress: () => {},
    },
    wantsApplicationKeys: () => {
      asked += 1;
      return Promise.resolve(true);
    },
    reads: new SerialQueue(),
    ...more,
  };
  return { live: toTerminalTarget(parts, terminal), typed, asked: () => asked };
}

test("Y10 cursor keys have the form that the program asked for, and only they need to ask", async () => {
  const { live, typed, asked } = world();
  await live.type(parseKeys("ls<Enter><C-c>"), PERMIT);
  expect(asked()).toBe(0);
  await live.type(parseKeys("<Up><Tab>"), PERMIT);
  expect(asked()).toBe(1);
  expect(typed).toEqual(["ls\r\u0003", "\u001BOA\t"]);
});

test("Y21 output that is not kept any more is told as that, and a fault of ours as a fault", async () => {
  expect(await world().live.read(0)).toBeUndefined();
  const fetch = () => Promise.reject(new TypeError("a bug of ours"));
  const broken = world({ output: { fetch, watch: () => () => {} } });
  await expect(broken.live.read(0)).rejects.toThrow("a bug of ours");
});
