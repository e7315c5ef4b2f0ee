import headless from "@xterm/headless";
import { expect, test } from "vitest";
import { limitRepeatCounts } from "./repeat-limits.ts";

const ESC = "\u001B";
const MOST = 2_147_483_647;

function setUp(cols = 40, rows = 4) {
  const terminal = new headless.Terminal({ cols, rows, scrollback: 20, allowProposedApi: true });
  limitRepeatCounts(terminal);
  const write = async (text: string): Promise<void> =>
    await new Promise((resolve) => {
      terminal.write(text, resolve);
    });
  const lines = () =>
    Array.from({ length: rows }, (_, row) =>
      terminal.buffer.active.getLine(terminal.buffer.active.baseY + row)?.translateToString(true),
    );
  return { terminal, write, lines };
}

test.each(["I", "L", "M", "S", "T", "Z", "b"])(
  "F9 CSI %s is done at most as often as can be seen",
  async (final) => {
    const { write, lines } = setUp();
    const counted = async (count: number) => {
      await write(`${ESC}cone\r\ntwo\r\nthree${ESC}[2;20Hy${ESC}[${count}${final}x`);
      return lines();
    };
    const most = await counted(MOST);
    expect(most).not.toEqual(await counted(1));
    // Beyond the screen, but few enough for any emulator.
    if (final !== "b") expect(most).toEqual(await counted(30));
  },
);

test("F9 a character with thousands of marks is not repeated thousands of times", async () => {
  const { terminal, write, lines } = setUp(80, 24);
  await write(`a${"\u0301".repeat(20_000)}`);
  await write(`${ESC}[${MOST}b`.repeat(2_000));
  expect(terminal.buffer.active.cursorX).toBe(1);
  await write(`\r\nok${ESC}[3b`);
  expect(lines()[1]).toBe("okkkk");
});
