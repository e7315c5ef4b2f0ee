import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { createEmulator, writeNow } from "../screens/emulator.ts";
import { getInternals } from "../screens/xterm-internals.ts";
import { learnCharsets } from "../screens/serialize.ts";
import { readState } from "../../test/support/screen-state.ts";
import { vtNoise, vtStream } from "../../test/support/vt-streams.ts";
import { TerminalModes } from "./terminal-modes.ts";
import { SequenceScanner } from "../sequences/sequence-scanner.ts";
import { runs } from "../../test/support/property-runs.ts";

beforeAll(() => learnCharsets(createEmulator(10, 2)));

test("F4 modes are followed through any stream, however it is split", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(vtStream, vtNoise), { maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 10 }),
      (parts, sizes) => {
        const bytes = Buffer.from(parts.join(""));
        const original = createEmulator(20, 6);
        writeNow(original, bytes);
        const modes = new TerminalModes(6);
        const scanner = new SequenceScanner((sequence) => modes.apply(sequence));
        let at = 0;
        for (let turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          scanner.scan(bytes.subarray(at, at + size), at);
          at += size;
        }
        const isGround = getInternals(original)._inputHandler._parser.currentState === 0;
        expect(scanner.isGround).toBe(isGround);
        const fresh = createEmulator(20, 6);
        writeNow(fresh, modes.text());
        expect(readModes(fresh)).toEqual(readModes(original));
      },
    ),
    runs(200),
  );
});

test("F4 charsets are designated as in xterm, whatever the bytes", () => {
  const original = createEmulator(20, 6);
  const fresh = createEmulator(20, 6);
  for (const designator of "()*+-./") {
    for (let final = 0x30; final < 0x7f; final++) {
      // A charset unknown to xterm leaves the previous one.
      const all = "\x1b(0\x1b)0\x1b*0\x1b+0";
      const printed = `${all}\x1b${designator}${String.fromCharCode(final)}`;
      writeNow(original, `\x1bc${printed}`);
      const modes = new TerminalModes(6);
      new SequenceScanner((sequence) => modes.apply(sequence)).scan(Buffer.from(printed), 0);
      writeNow(fresh, `\x1bc${modes.text()}`);
      expect(readModes(fresh), JSON.stringify(printed)).toEqual(readModes(original));
    }
  }
});

test("W10 a title that was put aside comes back, as in xterm", () => {
  const title = (text: string): string => {
    const modes = new TerminalModes(6);
    new SequenceScanner((sequence) => modes.apply(sequence)).scan(Buffer.from(text), 0);
    const original = createEmulator(20, 6);
    writeNow(original, Buffer.from(text));
    expect(modes.title).toBe(getInternals(original)._inputHandler._windowTitle);
    return modes.title;
  };
  const [shell, vim] = ["\x1b]0;shell\x07", "\x1b]2;vim\x07"];
  expect(title(`${shell}\x1b[22;0t${vim}`)).toBe("vim");
  expect(title(`${shell}\x1b[22;0t${vim}\x1b[23;0t`)).toBe("shell");
  expect(title(`${shell}\x1b[22t${vim}\x1b[23;2t\x1b[23t`)).toBe("shell");
  expect(title(`${shell}\x1b[22;1t${vim}\x1b[23;1t`)).toBe("vim");
  expect(title(`${shell}\x1b[22t${vim}${"\x1b[22t".repeat(10)}${"\x1b[23t".repeat(11)}`)).toBe(
    "vim",
  );
});

function readModes(terminal: Parameters<typeof readState>[0]) {
  const { screen: _, below, tabs: __, ...modes } = readState(terminal);
  return { ...modes, isAlternate: below !== undefined };
}
