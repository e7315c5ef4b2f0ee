// The host's first promise: every byte, then the exit.

import { describe, expect, test } from "vitest";

import { ALL, startHost } from "../support/pty-host.ts";

/** 20,000 bytes in 400 numbered lines, printed at once. */
const PRINT_20_KB = `awk 'BEGIN { for (i = 0; i < 400; i++) printf "%048d\\r\\n", i }'`;

function numbered(lines: number): string {
  return Array.from({ length: lines }, (_, i) => `${String(i).padStart(48, "0")}\r\n`).join("");
}

describe("H1 complete output", () => {
  test("H1 300 short-lived commands, eight at a time, are complete before their exit", async () => {
    const client = await (await startHost()).join();
    // Raw mode of the line discipline keeps \r\n as it is printed.
    const expected = numbered(400);
    let started = 0;
    const worker = async (): Promise<void> => {
      while (started < 300) {
        started += 1;
        const { handle } = await client.spawn(`stty -opost; exec ${PRINT_20_KB}`);
        client.read(handle, 0, ALL);
        const { exit, end } = await client.whole(handle);
        expect(exit).toEqual({ exitCode: 0, signal: null });
        expect(end).toBe(expected.length);
        expect(client.text(handle) === expected).toBe(true);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
  });
});
