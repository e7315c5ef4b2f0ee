import { expect, test } from "vitest";
import { findJoinedEmoji } from "./joined-emoji.ts";

const found = (line: string) => findJoinedEmoji(line).map(([from, to]) => line.slice(from, to));

test("WT10 emoji of several parts are found whole, and plain ones are left alone", () => {
  expect(found("a 👩‍👩‍👧 b 👍🏽 c 🇩🇪🇫🇷 d")).toEqual(["👩‍👩‍👧", "👍🏽", "🇩🇪", "🇫🇷"]);
  expect(found("👩🏽‍🚀👨‍👩‍👧‍👦")).toEqual(["👩🏽‍🚀", "👨‍👩‍👧‍👦"]);
  expect(found("❤️‍🔥 🏳️‍🌈")).toEqual(["❤️‍🔥", "🏳️‍🌈"]);
  expect(found("👍 ❤️ 你好 e\u0301 \u200D 🇩 12")).toEqual([]);
});
