// Owns a person's preferences in this browser: one record, validated when read and saved on each
// change. The font size belongs to the zoom. Does not draw.

import { signal } from "@preact/signals";
import { browserStorage } from "../session/device.ts";

const KEY = "pairpty:settings";

export const FONTS: Readonly<Record<string, string>> = {
  "This system’s": "ui-monospace, SFMono-Regular, Menlo, Consolas",
  "JetBrains Mono": '"JetBrains Mono", "JetBrainsMono Nerd Font"',
  "Fira Code": '"Fira Code", "FiraCode Nerd Font"',
  "Cascadia Code": '"Cascadia Code", "Cascadia Mono", Consolas',
  "Source Code Pro": '"Source Code Pro"',
  "IBM Plex Mono": '"IBM Plex Mono"',
  "DejaVu Sans Mono": '"DejaVu Sans Mono", "Bitstream Vera Sans Mono"',
  "Courier New": '"Courier New", Courier',
};

/** Monospace fonts of common systems. */
const FALLBACK_FONTS = '"JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

export const BELLS = ["tab", "flash", "sound"] as const;

/** "auto": where the round trip is slow. */
export const PREDICTIONS = ["auto", "always", "off"] as const;

export const SCROLLBACKS = [1_000, 5_000, 20_000, 100_000] as const;

export interface Settings {
  /** A name of `FONTS`. */
  readonly font: string;
  /** "system", or the id of a theme. */
  readonly theme: string;
  /** What a bell does in addition to the mark on its tab. */
  readonly bell: (typeof BELLS)[number];
  /** Lines. */
  readonly scrollback: number;
  /** Whether typed letters show before the program has echoed them. */
  readonly prediction: (typeof PREDICTIONS)[number];
  /** Whether output is also available to screen readers. */
  readonly reader: boolean;
  /** Ids of commands whose keys go to the shell. */
  readonly shell: readonly string[];
}

export const DEFAULTS: Settings = {
  font: "This system’s",
  theme: "system",
  bell: "tab",
  scrollback: 5_000,
  prediction: "auto",
  reader: false,
  shell: [],
};

/** More than there are commands. */
const MAX_KEYS = 200;

/** Parses stored settings; invalid or outdated values get their defaults. */
export function readSettings(text: string | null | undefined): Settings {
  const stored = parseObject(text);
  const pick = <T>(name: keyof Settings, isValid: (value: unknown) => value is T, other: T): T => {
    const value = stored[name];
    return isValid(value) ? value : other;
  };
  return {
    font: pick("font", isFont, DEFAULTS.font),
    theme: pick("theme", isWord, DEFAULTS.theme),
    bell: pick("bell", isBell, DEFAULTS.bell),
    scrollback: pick("scrollback", isScrollback, DEFAULTS.scrollback),
    prediction: pick("prediction", isPrediction, DEFAULTS.prediction),
    reader: pick("reader", isSwitch, DEFAULTS.reader),
    shell: pick("shell", isWords, DEFAULTS.shell),
  };
}

export const settings = signal<Settings>(readSettings(browserStorage()?.getItem(KEY)));

export function changeSettings(part: Partial<Settings>): void {
  settings.value = { ...settings.peek(), ...part };
  try {
    browserStorage()?.setItem(KEY, JSON.stringify(settings.peek()));
  } catch {
    // Storage is full or switched off: the change lasts for this visit.
  }
}

export function fontFamily({ font }: Settings = settings.peek()): string {
  return `${FONTS[font]}, ${FALLBACK_FONTS}`;
}

// Another page of this browser changed the settings.
globalThis.addEventListener?.("storage", ({ key, newValue }) => {
  if (key === KEY) settings.value = readSettings(newValue);
});

function parseObject(text: string | null | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function isSwitch(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && /^[a-z.-]{1,40}$/.test(value);
}

function isWords(value: unknown): value is string[] {
  return Array.isArray(value) && value.length <= MAX_KEYS && value.every(isWord);
}

function isFont(value: unknown): value is string {
  return typeof value === "string" && Object.hasOwn(FONTS, value);
}

function isBell(value: unknown): value is Settings["bell"] {
  return BELLS.some((one) => one === value);
}

function isPrediction(value: unknown): value is Settings["prediction"] {
  return PREDICTIONS.some((one) => one === value);
}

function isScrollback(value: unknown): value is number {
  return SCROLLBACKS.some((one) => one === value);
}
