import fc from "fast-check";
import { expect, test } from "vitest";
import { readState } from "../../../test/support/screen-state.ts";
import { vtNoise } from "../../../test/support/vt-streams.ts";
import { createEmulator, writeNow } from "../../screens/emulator.ts";
import { MAX_TEXT_BYTES } from "../../sequences/sequence.ts";
import { TitleMark } from "./recording-title.ts";
import { runs } from "../../../test/support/property-runs.ts";

const set = (title: string) => `\u001B]2;${title}\u0007`;
const KEEP = "\u001B[22;2t";
const GIVE_BACK = "\u001B[23;2t";

function window() {
  const mark = new TitleMark();
  return {
    says: (text: string) => mark.push(Buffer.from(text)).toString(),
    pushes: (bytes: Buffer) => mark.push(bytes),
    turn: (on: boolean) => mark.setOn(on),
    end: () => mark.restore(),
  };
}

test("RE15 the window's title says that it is recorded, whatever titles the program sets, and no longer", () => {
  const { says, turn, end } = window();
  expect(says(`a${set("vim – ä")}b`)).toBe(`a${set("vim – ä")}b`);
  expect(turn(true)).toBe(KEEP + set("● recording · vim – ä"));
  expect(turn(true)).toBe("");
  const other = "\u001B]0;shell\u001B\\";
  expect(says(`x${other}y\u001B[1mü`)).toBe(`x${set("● recording · shell")}y\u001B[1mü`);
  expect(says(set(""))).toBe(set("● recording"));
  expect(says(set("less"))).toBe(set("● recording · less"));
  expect(turn(false)).toBe(set("less"));
  expect(says(set("top"))).toBe(set("top"));
  expect([end(), end()]).toEqual([set("") + GIVE_BACK, ""]);
});

test("RE15 a title that a program gives back when it ends is marked as things are then", () => {
  const { says, turn, end } = window();
  says(set("shell") + KEEP + set("vim"));
  turn(true);
  expect(says(GIVE_BACK)).toBe(GIVE_BACK + set("● recording · shell"));
  says(KEEP + set("vim"));
  expect(turn(false)).toBe(set("vim"));
  expect(says(GIVE_BACK)).toBe(GIVE_BACK + set("shell"));
  end();
  expect(says(KEEP + set("vim") + GIVE_BACK)).toBe(KEEP + set("vim") + GIVE_BACK);
});

test("RE15 a window without a title gets none", () => {
  const { turn, end } = window();
  expect(end()).toBe("");
  expect(turn(true)).toBe(KEEP + set("● recording"));
  expect(turn(false)).toBe(set("") + GIVE_BACK);
  expect(end()).toBe("");
});

const marked = (title: string) => set(`● recording · ${title}`);

test.each([
  ["zeros before the number", "\u001B]02;x\u0007"],
  ["no number", "\u001B];x\u0007"],
  ["a C1 introducer", "\u009D2;x\u0007"],
  ["a C1 terminator", "\u001B]0;x\u009C"],
  ["the letter of Sun", "\u001B]lx\u001B\\"],
  ["controls within", "\u001B]\u00002\u0001;\u0000x\u0007"],
])("RE15 a title with %s is behind the mark, whole and byte by byte", (_, title) => {
  const whole = window();
  whole.turn(true);
  expect(whole.says(`a${title}b`)).toBe(`a${marked("x")}b`);
  const pieces = window();
  pieces.turn(true);
  const sentPieces = [...Buffer.from(`a${title}b`)].map((byte) => pieces.pushes(Buffer.of(byte)));
  expect(Buffer.concat(sentPieces).toString()).toBe(`a${marked("x")}b`);
});

test.each([
  ["CAN", "\u0018", ""],
  ["SUB", "\u001A", ""],
  ["a C1 control", "\u009B", "\u009B"],
])("RE16 %s breaks a title off: what follows is text, and no title", (_, breaks, rest) => {
  const { says, turn } = window();
  says(`${set("shell")}\u001B]2;foo${breaks}TEXT\u0007`);
  expect(turn(true)).toBe(KEEP + marked("shell"));
  const sentPieces = says(`a\u001B]2;foo${breaks}TEXT\u0007b`);
  expect(sentPieces).toBe(`a${marked("shell")}${rest}TEXT\u0007b`);
});

test("RE16 a title without end is none, and a number without end may be a title's", () => {
  const { says, turn } = window();
  turn(true);
  for (const begin of ["\u001B]2;", "\u001B]"]) {
    const long = "0".repeat(2 * MAX_TEXT_BYTES);
    expect(says(begin + long)).toBe("");
    expect(says(`${long}2;x\u0007b`)).toBe(`${set("● recording")}b`);
    expect(says(`a${begin}${long}2;x\u0007b`)).toBe(`a${set("● recording")}b`);
  }
  const picture = `\u001B]1337;File=:${"0".repeat(2 * MAX_TEXT_BYTES)}`;
  expect(says(picture)).toBe(picture);
});

test("RE15 a title that is under way when a recording starts or ends is as things are then", () => {
  const { says, turn } = window();
  expect(says("\u001B]2;on")).toBe("\u001B]2;on");
  expect(turn(true)).toBe(KEEP + set("● recording"));
  expect(says("e\u0007\u001B]2;tw")).toBe(marked("one"));
  expect(turn(false)).toBe(set("one"));
  expect(says("o\u0007")).toBe(set("two"));
});

test("RE15 the icon's name takes no mark away, and is given when the recording ends", () => {
  const { says, turn } = window();
  says(set("shell"));
  turn(true);
  expect(says("a\u001B]1;tab\u0007b")).toBe(`a${marked("shell")}b`);
  expect(turn(false)).toBe(`\u001B]1;tab\u0007${set("shell")}`);
  expect(says("\u001B]1;tab\u0007")).toBe("\u001B]1;tab\u0007");
});

const TITLES = [
  "\u001B]2;shell\u0007",
  "\u001B]002;",
  "\u001B]0;\u009B31mx",
  "\u001B]1;icon\u009C",
  "\u001B]lsun\u001B\\",
  "\u009D2;c1\u009C",
  "]2;behind\u0007",
  "\u001B\n]2;line\u001B\r\\",
  "\u001B]52;c;aGk=\u0007",
  "\u001BP1$r\u001B]2;after a DCS\u0007",
  "\u001B[22t",
  "\u001B[23t",
  "\u009B23;2t",
];

/** What goes with the character before it: in xterm that depends on what ended the title between them. */
const JOINING = /\p{M}|\p{Emoji_Modifier}|\u200D|\p{Cc}\[\d*b/gu;

/** xterm forgets to end a DCS that the 8-bit OSC breaks off; the mark's own ESC ] ends it. */
function withoutBrokenDcs(text: string): string {
  return /[P\u0090]/.test(text) ? text.replaceAll("\u009D", "") : text;
}

test("RE15 RE16 whatever a program prints in whatever pieces, the window's title is marked and plain, and its screen the same", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(vtNoise, fc.constantFrom(...TITLES)), { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 10 }),
      (parts, sizes) => {
        // Behind the last dot nothing is held back.
        const text = withoutBrokenDcs(parts.join("").replaceAll(JOINING, ""));
        const bytes = Buffer.from(`${text}.`);
        const [plain, recorded] = [createEmulator(20, 6), createEmulator(20, 6)];
        const mark = new TitleMark();
        writeNow(recorded, mark.setOn(true));
        const titles: string[] = [];
        recorded.onTitleChange((title) => titles.push(title));
        const sentPieces: Buffer[] = [];
        let at = 0;
        for (let turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          sentPieces.push(mark.push(bytes.subarray(at, at + size)));
          at += size;
        }
        const once = new TitleMark();
        once.setOn(true);
        expect(Buffer.concat(sentPieces).toString()).toBe(once.push(bytes).toString());
        writeNow(plain, bytes);
        writeNow(recorded, Buffer.concat(sentPieces));
        const { title, ...screen } = readState(recorded);
        expect(screen).toEqual({ ...readState(plain), title: undefined });
        // What is kept is given back as it was, and marked behind that.
        expect(title).toMatch(/^● recording(?: · |$)/);
        expect(titles.join("")).not.toMatch(/\p{Cc}/u);
        // An introducer, text and a terminator, and nothing between them.
        expect(mark.setOn(false)).toMatch(/^(?:\p{Cc}\][12];\P{Cc}*\p{Cc}|\p{Cc}\[23;2t)+$/u);
      },
    ),
    runs(200),
  );
});
