// The lifecycle of a tunnel, with a fake program and a fake clock.

import fc from "fast-check";
import { expect, test } from "vitest";
import { UserError } from "../errors.ts";
import { readAnyProgram } from "./tunnel-programs.ts";
import type { TunnelProcess } from "./tunnel-keeper.ts";
import { ADDRESS_TIMEOUT_MS, getRetryMs, TunnelKeeper } from "./tunnel-keeper.ts";

class Program implements TunnelProcess {
  readonly ended: Promise<string>;
  isEnded = false;
  #end: (how: string) => void = () => {};
  #listener: (line: string) => void = () => {};

  constructor() {
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  onLine(listener: (line: string) => void): void {
    this.#listener = listener;
  }

  say(line: string): void {
    this.#listener(line);
  }

  dies(how = "it exited with code 1"): void {
    this.isEnded = true;
    this.#end(how);
  }

  async end(): Promise<void> {
    this.dies("it exited with SIGTERM");
    await this.ended;
  }
}

function world() {
  const programs: Program[] = [];
  const waits: { milliseconds: number; over: () => void }[] = [];
  let now = 0;
  const keeper = new TunnelKeeper({
    name: "stand-in",
    reader: readAnyProgram,
    start: () => {
      const program = new Program();
      programs.push(program);
      return program;
    },
    wait: (milliseconds, signal) =>
      new Promise((resolve) => {
        waits.push({ milliseconds, over: resolve });
        signal.addEventListener("abort", () => resolve());
      }),
    now: () => now,
    log: () => {},
  });
  const received: string[] = [];
  keeper.onUp((address) => received.push(`up ${address}`));
  keeper.onLost((reason, milliseconds) => received.push(`lost ${reason}, ${milliseconds}`));
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    keeper,
    programs,
    received,
    settle,
    pass: (milliseconds: number) => (now += milliseconds),
    waitOver: async () => {
      waits.at(-1)?.over();
      await settle();
    },
  };
}

test("TU6 a program that ends is started again, later each time, and its new address told", async () => {
  const { keeper, programs, received, settle, waitOver, pass } = world();
  const opening = keeper.open();
  programs[0]?.say("https://one.example");
  expect(await opening).toBe("https://one.example");
  programs[0]?.dies();
  await settle();
  expect(keeper.address).toBeUndefined();
  await waitOver();
  programs[1]?.dies("it exited with SIGKILL");
  await settle();
  await waitOver();
  programs[2]?.say("https://two.example");
  await settle();
  expect(keeper.address).toBe("https://two.example");
  // The tunnel was stable for long enough, so the backoff starts over.
  pass(60_000);
  programs[2]?.dies();
  await settle();
  expect(received).toEqual([
    "lost it exited with code 1, 1000",
    "lost it exited with SIGKILL, 2000",
    "up https://two.example",
    "lost it exited with code 1, 1000",
  ]);
  await keeper.stop();
  expect(programs).toHaveLength(3);
});

test("TU40 another address of the same program counts at once, the same one does not", async () => {
  const { keeper, programs, received } = world();
  const opening = keeper.open();
  programs[0]?.say("https://one.example");
  await opening;
  programs[0]?.say("https://one.example");
  programs[0]?.say("https://two.example");
  expect(received).toEqual(["up https://two.example"]);
  await keeper.stop();
  programs[0]?.say("https://three.example");
  expect(received).toHaveLength(1);
});

test("TU8 a program that tells no address at first is an error with its last lines, and is ended", async () => {
  const { keeper, programs, waitOver } = world();
  const opening = keeper.open().catch((error: unknown) => error);
  programs[0]?.say("no account");
  await waitOver();
  const error = await opening;
  if (!(error instanceof UserError)) throw new Error("no error");
  expect(error.message).toContain(`no https address within ${ADDRESS_TIMEOUT_MS / 1_000} s`);
  expect(error.hint).toContain("no account");
  expect(programs[0]?.isEnded).toBe(true);
});

test("TU8 one that ends at once says how", async () => {
  const { keeper, programs } = world();
  const opening = keeper.open();
  programs[0]?.dies();
  await expect(opening).rejects.toThrow("stand-in could not open a tunnel: it exited with code 1");
});

test("TU7 whenever it is stopped, nothing runs and nothing starts again", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom("address", "die", "wait", "late"), { maxLength: 12 }),
      async (steps) => {
        const { keeper, programs, settle, waitOver } = world();
        const opening = keeper.open().catch(() => undefined);
        let restarts = 0;
        for (const step of steps) {
          const program = programs.at(-1);
          if (step === "address") program?.say(`https://name-${restarts++}.example`);
          if (step === "die") program?.dies();
          if (step === "wait") await waitOver();
          await settle();
        }
        await keeper.stop();
        await opening;
        const count = programs.length;
        await waitOver();
        expect(programs).toHaveLength(count);
        expect(programs.every(({ isEnded }) => isEnded)).toBe(true);
      },
    ),
    { numRuns: 100 },
  );
});

test("TU6 the waits grow to a minute", () => {
  expect([0, 1, 2, 5, 6, 40].map(getRetryMs)).toEqual([
    1_000, 2_000, 4_000, 32_000, 60_000, 60_000,
  ]);
});
