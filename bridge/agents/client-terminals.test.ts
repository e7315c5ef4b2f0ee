// Coding agents' terminals without a pty host: what is withheld from their agents, and how long
// people can read them.

import { expect, test } from "vitest";
import { callerWith, createGrant } from "../../test/support/caller.ts";
import { poolTerminal } from "../../test/support/pool-terminal.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import {
  clientOutput,
  clampLimit,
  MAX_OUTPUT_BYTES,
  ClientTerminals,
  MAX_UNRELEASED,
} from "./client-terminals.ts";
import type { DroppedTerminal } from "./released-terminals.ts";
import { MAX_KEPT_BYTES, MAX_KEPT_TERMINALS, ReleasedTerminals } from "./released-terminals.ts";

const CALLER = callerWith(createGrant("aaaaaaaaaa"));
const never = new AbortController().signal;

function createTerminal(id: string, more: Partial<PoolTerminal> = {}): PoolTerminal {
  const conversation = { id: "c-1", limit: 100 };
  const meta = { cwd: "/", owner: "agent", visible: false, createdAt: 0, conversation } as const;
  return poolTerminal({ id, meta, ...more });
}

function finished(id: string, at: number, end = 3): PoolTerminal {
  const exit = { exitCode: 0, signal: null };
  const terminal = createTerminal(id, { life: { state: "finished", exit, end, at }, end });
  const conversation = { id: "c-1", limit: 100, isReleased: true };
  terminal.meta = { ...terminal.meta, conversation };
  return terminal;
}

function holding(terminals: readonly PoolTerminal[]) {
  const closed: string[] = [];
  const held = new ClientTerminals({
    pool: {
      get: (id) => terminals.find((one) => one.id === id),
      all: () => [...terminals],
      close: ({ id }) => Promise.resolve(void closed.push(id)),
      updateMeta: (terminal, noted) => {
        terminal.meta = { ...terminal.meta, ...noted };
      },
      fetch: (_terminal, _from, _most, accept) =>
        Promise.resolve(accept({ offset: 0, bytes: Buffer.from("before secret") })),
      watch: () => () => {},
    },
    pipeline: { run: () => Promise.resolve({ ok: false, error: "nothing starts here" }) },
    onReleased: () => {},
  });
  return { held, closed };
}

test("AC22 what a person keeps from agents is kept from its own agent, too", async () => {
  const terminal = createTerminal("pty-000001");
  const { held } = holding([terminal]);
  const read = () => held.readOutput(CALLER, "c-1", terminal.id);
  expect(await read()).toMatchObject({ output: "before secret" });
  const steppedIn = { since: 7, grant: "bbbbbbbbbb", label: "Ana", peer: 1 };
  terminal.meta = { ...terminal.meta, steppedIn };
  expect(await read()).toMatchObject({ output: "before " });
  terminal.meta = { ...terminal.meta, private: true };
  expect(await read()).toBeUndefined();
  expect(await held.waitForExit(CALLER, "c-1", terminal.id, never)).toBeUndefined();
});

test("AC107 AC109 an id is its own conversation's; the next bridge knows it, and one that a user has is not ended", async () => {
  const [own, promoted, released] = [
    createTerminal("pty-000001"),
    createTerminal("pty-000002"),
    finished("pty-000003", 1),
  ];
  promoted.meta = { ...promoted.meta, owner: "user" };
  const { held, closed } = holding([own, promoted, released]);
  expect(await held.readOutput(CALLER, "c-2", own.id)).toBeUndefined();
  expect(await held.readOutput(CALLER, "c-1", released.id)).toBeUndefined();
  await held.releaseAll("c-1", "over");
  expect(closed).toEqual([own.id]);
  expect(own.meta.conversation?.isReleased).toBe(true);
  expect(await held.release(CALLER, "c-1", own.id)).toBe(false);
});

test("AC108 an agent that never releases is refused in the end", async () => {
  const many = Array.from({ length: MAX_UNRELEASED }, (_, index) => createTerminal(`pty-${index}`));
  const { held } = holding(many);
  const request = { conversation: "c-1", line: "x", cwd: "/", env: {}, isolation: "none" } as const;
  expect(await held.create(CALLER, request, {})).toMatchObject({
    error: expect.stringMatching(/release some/),
  });
  const other = { ...request, conversation: "c-2" };
  expect(await held.create(CALLER, other, {})).toMatchObject({ error: "nothing starts here" });
});

test("AC23 people read released terminals on, the newest within a number and a size; of others text is left", async () => {
  const forgotten: DroppedTerminal[] = [];
  const gone: string[] = [];
  const keeping = async (terminals: PoolTerminal[]) => {
    const kept = new ReleasedTerminals(
      {
        all: () => terminals,
        fetch: (_terminal, _from, _most, accept) =>
          Promise.resolve(accept({ offset: 0, bytes: Buffer.from("\u001b[1mhi\r\n") })),
        forget: ({ id }) => void gone.push(id),
      },
      (one) => void forgotten.push(one),
    );
    await kept.trim();
  };
  const many = Array.from({ length: MAX_KEPT_TERMINALS + 2 }, (_, at) => finished(`pty-${at}`, at));
  await keeping([...many, createTerminal("pty-running")]);
  expect(gone).toEqual(["pty-1", "pty-0"]);
  expect(forgotten[0]).toEqual({
    conversation: "c-1",
    terminal: "pty-1",
    text: "hi\n",
    exit: { exitCode: 0, signal: null },
  });
  gone.length = 0;
  const half = MAX_KEPT_BYTES / 2;
  await keeping([finished("old", 1, half), finished("new", 2, half), finished("newest", 3, 1)]);
  expect(gone).toEqual(["old"]);
});

test("AC2 no limit asked for is the most there is, and text is whole where bytes end in a character", () => {
  expect([clampLimit(undefined), clampLimit(null), clampLimit(5), clampLimit(1e9)]).toEqual([
    MAX_OUTPUT_BYTES,
    MAX_OUTPUT_BYTES,
    5,
    MAX_OUTPUT_BYTES,
  ]);
  const whole = Buffer.from("a€");
  const begun = { offset: 0, bytes: whole.subarray(0, -1) };
  expect(clientOutput(begun, 100, false)).toEqual({ output: "a", truncated: false });
  const lost = { offset: 9, bytes: Buffer.from("rest of a line\r\nnext\r\n") };
  expect(clientOutput(lost, 100, true)).toEqual({ output: "next\n", truncated: true });
});
