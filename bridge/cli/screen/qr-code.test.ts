// A link in half blocks.

import { expect, test } from "vitest";
import { encode } from "uqr";
import { listClipboardTools, formatCopied } from "./clipboard.ts";
import { formatQrCode } from "./qr-code.ts";

const LINK =
  "https://relay.example.com/w/tpx6zeayfb4gijhqa4cc#pp_JQC7qiU1AD_J8Jbos4j6UTq3fPi6Vw1Bzp";
const WIDE = { columns: 200, rows: 200 };

/** Reads the half blocks back; true is ink. */
function pixels(lines: string[]): boolean[][] {
  return lines.flatMap((line) => {
    const cells = line.slice(2).split("");
    return [cells.map((cell) => "█▀".includes(cell)), cells.map((cell) => "█▄".includes(cell))];
  });
}

test("C65 the code that is drawn is the code, as light on dark where there are no colours", () => {
  const { data, size } = encode(LINK, { border: 2, ecc: "L" });
  const drawn = pixels(formatQrCode(LINK, { ...WIDE, colors: false }) ?? []);
  expect(drawn.slice(0, size)).toEqual(data.map((row) => row.map((dark) => !dark)));
});

test("C65 with colours it is black on white in any window, and ends with its line", () => {
  for (const line of formatQrCode(LINK, { ...WIDE, colors: true }) ?? []) {
    expect(line).toContain("\u001B[38;5;16;48;5;231m");
    expect(line.endsWith("\u001B[0m")).toBe(true);
  }
});

test("C65 it fits exactly or is not drawn", () => {
  const { size } = encode(LINK, { border: 2, ecc: "L" });
  const space = { columns: size + 2, rows: Math.ceil(size / 2), colors: false };
  expect(formatQrCode(LINK, space)?.length).toBe(space.rows);
  expect(formatQrCode(LINK, { ...space, columns: space.columns - 1 })).toBeUndefined();
  expect(formatQrCode(LINK, { ...space, rows: space.rows - 1 })).toBeUndefined();
});

test("C71 the clipboard's programs are those of the desktop there is", () => {
  const names = (environment: Record<string, string>, platform = "linux") =>
    listClipboardTools(environment, platform).map(({ name }) => name);
  expect(names({})).toEqual([]);
  expect(names({ DISPLAY: ":0" })).toEqual(["xclip", "xsel"]);
  expect(names({ WAYLAND_DISPLAY: "wayland-0", DISPLAY: ":0" })[0]).toBe("wl-copy");
  expect(names({ WSL_DISTRO_NAME: "Debian" })).toEqual(["clip.exe"]);
  expect(names({}, "darwin")).toEqual(["pbcopy"]);
  expect(names({ TMUX: "/tmp/tmux-1000/default,1,0", DISPLAY: ":0" }).at(-1)).toBe("tmux");
  expect(formatCopied({ tool: "xsel", terminal: true })).toBe("copied with xsel");
  expect(formatCopied({ tool: undefined, terminal: true })).toMatch(/OSC 52/);
  expect(formatCopied({ tool: undefined, terminal: false })).toBeUndefined();
});
