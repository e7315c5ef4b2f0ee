// Owns the colours that programs query and set (OSC 4, 10, 11, 12 and their resets): answers are
// those of the page's dark theme unless a program has set others.

import type { Terminal } from "@xterm/headless";
import { DARK_COLORS as DARK } from "../../protocol/palette.ts";

const NAMES = [
  "black",
  "red",
  "green",
  "yellow",
  "blue",
  "magenta",
  "cyan",
  "white",
  "brightBlack",
  "brightRed",
  "brightGreen",
  "brightYellow",
  "brightBlue",
  "brightMagenta",
  "brightCyan",
  "brightWhite",
] as const;

/** OSC numbers of the colours outside the palette. */
const PURPOSES = { text: 10, background: 11, cursor: 12 } as const;
const SPECIAL: ReadonlyMap<number, string> = new Map([
  [PURPOSES.text, DARK.foreground],
  [PURPOSES.background, DARK.background],
  [PURPOSES.cursor, DARK.cursor],
]);
const CUBE = [0, 95, 135, 175, 215, 255];

/** Colours that were set, keyed by the OSC's parameters. */
export class Colors {
  readonly #set = new Map<string, string>();
  readonly #reply: (text: string) => void;

  constructor(terminal: Terminal, reply: (text: string) => void) {
    this.#reply = reply;
    const { parser } = terminal;
    parser.registerOscHandler(4, (data) => this.#indexed(data));
    parser.registerOscHandler(104, (data) => this.#resetIndexed(data));
    for (const number of SPECIAL.keys()) {
      parser.registerOscHandler(number, (data) => this.#special(number, data));
      parser.registerOscHandler(number + 100, () => this.#reset(String(number)));
    }
  }

  /** Returns a colour as 0xRRGGBB: by palette number, or by purpose. */
  get(which: number | keyof typeof PURPOSES): number {
    const key = typeof which === "number" ? `4;${which}` : String(PURPOSES[which]);
    const fallback =
      typeof which === "number" ? getPaletteColor(which) : SPECIAL.get(PURPOSES[which]);
    return Number.parseInt((this.#set.get(key) ?? fallback ?? "").slice(1), 16);
  }

  /** Returns the sequences that set these colours in another terminal. */
  text(): string {
    let text = "";
    for (const [key, spec] of this.#set) text += `\x1b]${key};${spec}\x1b\\`;
    return text;
  }

  #indexed(data: string): true {
    const words = data.split(";");
    for (let at = 0; at + 1 < words.length; at += 2) {
      const index = words[at] ?? "";
      const number = /^\d{1,3}$/.test(index) ? Number(index) : -1;
      if (number < 0 || number > 255) continue;
      this.#setOrReply(`4;${number}`, words[at + 1] ?? "", () => getPaletteColor(number));
    }
    return true;
  }

  /** Handles OSC 10 to 12; further values apply to the next numbers. */
  #special(first: number, data: string): true {
    for (const [index, spec] of data.split(";").entries()) {
      const number = first + index;
      const fallback = SPECIAL.get(number);
      if (fallback === undefined) break;
      this.#setOrReply(String(number), spec, () => fallback);
    }
    return true;
  }

  #setOrReply(key: string, spec: string, fallback: () => string): void {
    if (spec === "?") {
      this.#reply(`\x1b]${key};${formatWide(this.#set.get(key) ?? fallback())}\x1b\\`);
      return;
    }
    const color = parseColor(spec);
    if (color !== undefined) this.#set.set(key, color);
  }

  #resetIndexed(data: string): true {
    if (data === "") {
      for (const key of this.#set.keys()) if (key.startsWith("4;")) this.#set.delete(key);
    }
    for (const index of data.split(";")) this.#set.delete(`4;${index}`);
    return true;
  }

  #reset(key: string): true {
    this.#set.delete(key);
    return true;
  }
}

function getPaletteColor(number: number): string {
  const name = NAMES[number];
  if (name !== undefined) return DARK[name];
  if (number >= 232) return formatHex(...gray(8 + (number - 232) * 10));
  const index = number - 16;
  const part = (step: number) => CUBE[Math.floor(index / step) % 6] ?? 0;
  return formatHex(part(36), part(6), part(1));
}

function gray(value: number): [number, number, number] {
  return [value, value, value];
}

function formatHex(...parts: [number, number, number]): string {
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/** Parses `rgb:` with 1 to 4 digits per part, or `#` with as many; returns #rrggbb. */
function parseColor(spec: string): string | undefined {
  const rgb = /^rgb:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})$/i.exec(spec)?.slice(1);
  const digits = /^#((?:[\da-f]{3}){1,4})$/i.exec(spec)?.[1];
  const third = (digits?.length ?? 0) / 3;
  const parts = rgb ?? [0, 1, 2].map((at) => digits?.slice(at * third, (at + 1) * third) ?? "");
  if (rgb === undefined && digits === undefined) return undefined;
  const scaled = parts.map((part) =>
    Math.round((Number.parseInt(part, 16) / (16 ** part.length - 1)) * 255),
  );
  return formatHex(scaled[0] ?? 0, scaled[1] ?? 0, scaled[2] ?? 0);
}

/** Returns the colour as xterm reports it, with four digits per part. */
function formatWide(color: string): string {
  const parts = [1, 3, 5].map((at) => color.slice(at, at + 2));
  return `rgb:${parts.map((part) => part + part).join("/")}`;
}
