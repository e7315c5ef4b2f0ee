import headless from "@xterm/headless";
import { expect, test } from "vitest";
import { findJoinedEmoji, suppressQueries } from "./xterm.ts";

const found = (line: string) => findJoinedEmoji(line).map(([from, to]) => line.slice(from, to));

test("WT10 emoji of several parts are found whole, and plain ones are left alone", () => {
  expect(found("a 👩‍👩‍👧 b 👍🏽 c 🇩🇪🇫🇷 d")).toEqual(["👩‍👩‍👧", "👍🏽", "🇩🇪", "🇫🇷"]);
  expect(found("👩🏽‍🚀👨‍👩‍👧‍👦")).toEqual(["👩🏽‍🚀", "👨‍👩‍👧‍👦"]);
  expect(found("❤️‍🔥 🏳️‍🌈")).toEqual(["❤️‍🔥", "🏳️‍🌈"]);
  expect(found("👍 ❤️ 你好 e\u0301 \u200D 🇩 12")).toEqual([]);
});

const ESC = "\u001B";
const ST = `${ESC}\\`;

const QUERIES = [
  "[c",
  "[0c",
  "[>c",
  "[>0c",
  "[=c",
  "[5n",
  "[6n",
  "[?6n",
  "[?15n",
  "[?996n",
  "[20$p",
  "[?25$p",
  "[?2026$p",
  "[>q",
  "[>0q",
  "[?u",
  "[14t",
  "[16t",
  "[18t",
  "[21t",
  `]4;1;?${ST}`,
  `]10;?${ST}`,
  "]11;?\u0007",
  `]12;?${ST}`,
  `]10;?;?${ST}`,
  `P$qm${ST}`,
  `P$qr${ST}`,
  `P$q"p${ST}`,
  `P+q544e${ST}`,
].map((one) => ESC + one);

function setUp(silent: boolean) {
  const windowOptions = { getWinSizeChars: true, pushTitle: true, popTitle: true };
  const term = new headless.Terminal({
    cols: 20,
    rows: 5,
    allowProposedApi: true,
    windowOptions,
  });
  const sent: string[] = [];
  term.onData((data) => sent.push(data));
  if (silent) suppressQueries(term.parser);
  const write = async (text: string): Promise<void> =>
    await new Promise((resolve) => {
      term.write(text, resolve);
    });
  return { term, sent, write };
}

test("W83 the page's emulator answers no query, and prints nothing of it", async () => {
  const { term, sent, write } = setUp(true);
  for (const query of QUERIES) await write(query);
  expect(sent).toEqual([]);
  expect(term.buffer.active.getLine(0)?.translateToString(true)).toBe("");
  // Checks that the unpatched emulator answers at all.
  const talkative = setUp(false);
  for (const query of QUERIES) await talkative.write(query);
  expect(talkative.sent.length).toBeGreaterThan(8);
});

test("W83 what only looks like a query still works", async () => {
  const { term, write } = setUp(true);
  // Title stack, setting a colour, soft reset, cursor shape: not queries.
  const titles: string[] = [];
  term.onTitleChange((title) => titles.push(title));
  await write(`${ESC}]2;one${ST}${ESC}[22;2t${ESC}]2;two${ST}${ESC}[23;2t`);
  expect(titles).toEqual(["one", "two", "one"]);
  await write(`${ESC}]10;#ff0000${ST}${ESC}[?25l${ESC}[!p${ESC}[3 qtext`);
  expect(term.buffer.active.getLine(0)?.translateToString(true)).toBe("text");
});
