// What agents get from a terminal that a person steps into, for every way and time of reading.

import fc from "fast-check";
import { PERMIT } from "../../test/support/permit.ts";
import { expect, test } from "vitest";
import { SerialQueue } from "../reading/serial-queue.ts";
import { ContinuousReader, readSlice } from "../reading/terminal-text.ts";
import { toHandedBackMeta } from "../reading/withheld-output.ts";
import { Session } from "../sessions/session-registry.ts";
import { toTerminalTarget } from "../sessions/session-target.ts";
import { NewText, takeFromSession, takePage } from "../sessions/session-output.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import {
  describeToAgents,
  readableByAgents,
  screensForAgents,
  agentInputDenial,
} from "./agent-visibility.ts";

const KEPT = 400;

/** A terminal whose pty host retains the last bytes that the test prints. */
function world() {
  const terminal = poolTerminal();
  terminal.meta = { ...terminal.meta, owner: "agent", visible: false };
  let printed = "";
  let listener = () => {};
  const typed: string[] = [];
  const pool = {
    fetch: async <T>(
      _terminal: PoolTerminal,
      from: number,
      most: number,
      accept: (retained: { offset: number; bytes: Buffer }) => T,
      to = printed.length,
    ) => {
      await Promise.resolve();
      const [first, end] = [Math.max(0, printed.length - KEPT), printed.length];
      const start = Math.min(end, Math.max(from, first, end - most));
      const stop = Math.max(start, Math.min(end, to));
      return accept({ offset: start, bytes: Buffer.from(printed.slice(start, stop)) });
    },
    watch: (_terminal: PoolTerminal, watcher: () => void) => {
      listener = watcher;
      return () => {};
    },
    input: (_terminal: PoolTerminal, bytes: Uint8Array) => {
      typed.push(Buffer.from(bytes).toString());
    },
    close: () => Promise.resolve(),
    storeSessionProgress: () => {},
    screenState: async () => {
      await Promise.resolve();
      const marks = [{ offset: 0, cols: 40, rows: 5, modes: "" }];
      const first = Math.max(0, printed.length - KEPT);
      return { request: 0, first, end: printed.length, marks };
    },
  };
  const readable = readableByAgents(pool);
  const live = toTerminalTarget(
    {
      pool,
      output: readable,
      getInputBlockedReason: agentInputDenial,
      wantsApplicationKeys: () => Promise.resolve(false),
      reads: new SerialQueue(),
    },
    terminal,
  );
  return {
    terminal,
    readable,
    live,
    typed,
    screens: (view: () => Promise<never>) => screensForAgents(pool, { view, picture: view }),
    received: () => listener(),
    print: (text: string) => {
      printed += text;
    },
    stepIn: () => {
      const steppedIn = { since: printed.length, grant: "ada", label: "Ada", peer: 3 };
      terminal.meta = { ...terminal.meta, steppedIn };
    },
    handBack: (isHidden: boolean) => {
      terminal.meta = {
        ...terminal.meta,
        ...toHandedBackMeta(terminal.meta, printed.length, isHidden),
      };
    },
    end: () => {
      const exit = { exitCode: 0, signal: null };
      terminal.life = { state: "finished", exit, end: printed.length, at: 0 };
    },
  };
}

const step = fc.oneof(
  fc.record({ is: fc.constant("print" as const), length: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ is: fc.constant("in" as const) }),
  fc.record({ is: fc.constant("back" as const), hide: fc.boolean() }),
  fc.record({
    is: fc.constant("read" as const),
    how: fc.constantFrom("tail", "raw", "from", "on", "new", "page", "wait"),
    at: fc.integer({ min: 0, max: 600 }),
    most: fc.integer({ min: 1, max: 80 }),
  }),
  fc.record({ is: fc.constant("end" as const) }),
);

test("I64 I95 by no order of reads does an agent get a byte between a step-in and its hand-back, nor ever one that was hidden", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { terminal, readable, live, print, stepIn, handBack, end } = world();
      const session = new Session(1, { owner: "x", command: "sh", target: live, startedAt: 0 });
      const on = new ContinuousReader(0, 20);
      const waiting = new NewText(live, 0);
      const read = (offset: number | undefined, maxBytes: number, raw: boolean) =>
        readable.fetch(
          terminal,
          0,
          KEPT,
          (kept) => readSlice(kept, { offset, maxBytes, raw }, false).text,
        );
      const reads = {
        tail: (_at: number, most: number) => read(undefined, most, false),
        raw: (at: number, most: number) => read(at, most, true),
        from: (at: number, most: number) => read(at, most, false),
        on: () => readable.fetch(terminal, on.from, KEPT, (kept) => on.text(kept)),
        new: async (_at: number, most: number) => (await takeFromSession(session, most)).text,
        page: async (at: number, most: number) => (await takePage(live, at, most)).text,
        wait: () => waiting.next(),
      };
      // Each period has its own letter; the marker's text contains none of these.
      let times = 0;
      const letter = () => String.fromCharCode(65 + (times % 26));
      const withheld = new Set<string>();
      for (const one of steps) {
        const isIn = terminal.meta.steppedIn !== undefined;
        const isOver = terminal.life.state === "finished";
        if (one.is === "print" && !isOver) print((isIn ? letter() : "v").repeat(one.length));
        if (one.is === "in" && !isIn && !isOver) {
          times += 1;
          withheld.add(letter());
          stepIn();
        }
        if (one.is === "back" && isIn) {
          handBack(one.hide || isOver);
          if (!one.hide && !isOver) withheld.delete(letter());
        }
        if (one.is === "end") end();
        if (one.is !== "read") continue;
        const text = await reads[one.how](one.at, one.most);
        for (const secret of withheld) expect(text).not.toContain(secret);
      }
    }),
    { numRuns: 300 },
  );
});

test("I63 I95 I97 an agent reads up to the step-in, types nothing meanwhile, and gets the rest once it is handed back", async () => {
  const { live, print, stepIn, handBack, typed } = world();
  const session = new Session(1, { owner: "x", command: "sh", target: live, startedAt: 0 });
  print("Name: ");
  stepIn();
  print("Ada\r\nhello\r\n");
  expect(await takeFromSession(session, 1_000)).toMatchObject({ text: "Name: ", position: 6 });
  expect(await live.type([{ kind: "text", text: "x" }], PERMIT)).toContain("a person is typing");
  expect(typed).toEqual([]);
  handBack(false);
  expect(await takeFromSession(session, 1_000)).toMatchObject({
    text: "Ada\nhello\n",
    position: 18,
  });
  expect(await live.type([{ kind: "text", text: "x" }], PERMIT)).toBeUndefined();
  expect(typed).toEqual(["x"]);
});

test("I64 what was hidden is a marked gap with its size, positions stay those of the stream", async () => {
  const { live, readable, terminal, print, stepIn, handBack } = world();
  print("Password: ");
  stepIn();
  print("hunter2\r\n");
  handBack(true);
  print("welcome\r\n");
  const session = new Session(1, { owner: "x", command: "sh", target: live, startedAt: 0 });
  const text = "Password: \n[hidden: 9 bytes typed by a person]\nwelcome\n";
  expect(await takeFromSession(session, 1_000)).toMatchObject({ text, position: 28, cut: 0 });
  expect(await takePage(live, 19, 1_000)).toMatchObject({ text: "welcome\n", position: 28 });
  const raw = { offset: 12, raw: true };
  const read = await readable.fetch(terminal, 0, KEPT, (kept) => readSlice(kept, raw, false));
  expect(read).toMatchObject({
    text: "[hidden: 7 bytes typed by a person]\nwelcome\r\n",
    offset: 12,
    next: 28,
  });
});

test("I64 a terminal that ends before it is handed back keeps the rest to itself", async () => {
  const { live, print, stepIn, end } = world();
  print("Password: ");
  stepIn();
  print("hunter2\r\n");
  end();
  const session = new Session(1, { owner: "x", command: "sh", target: live, startedAt: 0 });
  expect(await takeFromSession(session, 1_000)).toMatchObject({
    text: "Password: \n[hidden: 9 bytes typed by a person]\n",
    isLast: true,
  });
});

test("I65 I98 an agent's screen is the one of the step-in, and without what was hidden later; so is the title", async () => {
  const { terminal, screens, print, stepIn, handBack } = world();
  const whole = screens(() => Promise.reject(new Error("the whole screen is not for agents")));
  print("Password: ");
  stepIn();
  print("hunter2\r\n");
  terminal.title = "hunter2";
  expect((await whole.view(terminal)).lines[0]?.trim()).toBe("Password:");
  expect(describeToAgents(terminal).title).toBeUndefined();
  handBack(true);
  print("welcome\r\n");
  const view = await whole.view(terminal);
  expect(view.lines.join("\n")).toContain("welcome");
  expect(JSON.stringify(view)).not.toContain("hunter2");
  expect((await whole.picture(terminal)).subarray(1, 4).toString()).toBe("PNG");
  expect(describeToAgents(terminal)).not.toHaveProperty("title");
});

test("I65 a screen that was begun before someone stepped in is drawn again without what they typed", async () => {
  const { terminal, screens, print, stepIn } = world();
  print("Password: ");
  const racing = screens(async () => {
    await Promise.resolve();
    stepIn();
    print("hunter2");
    return { lines: ["hunter2"] } as never;
  });
  expect(JSON.stringify(await racing.view(terminal))).not.toContain("hunter2");
});

test("I95 how fast a person types is not told: who waits hears nothing until it is handed back", () => {
  const { terminal, readable, received, stepIn, handBack } = world();
  let watcher = 0;
  readable.watch(terminal, () => {
    watcher += 1;
  });
  received();
  stepIn();
  received();
  received();
  expect(watcher).toBe(1);
  handBack(true);
  received();
  expect(watcher).toBe(2);
});
