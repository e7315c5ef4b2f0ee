// Owns the bar with keys that a phone's keyboard lacks. Shown on touch devices. Also owns the
// repetition of a key while a finger holds it.

import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SpecialKey } from "./key-encoding.ts";
import type { ModifierState } from "./terminal-input.ts";
import type { TerminalPanel } from "./terminal-panel.ts";

const SPECIAL_KEYS: readonly { key: SpecialKey; sign: string; name: string }[] = [
  { key: "left", sign: "←", name: "Left" },
  { key: "down", sign: "↓", name: "Down" },
  { key: "up", sign: "↑", name: "Up" },
  { key: "right", sign: "→", name: "Right" },
  { key: "home", sign: "Home", name: "Home" },
  { key: "end", sign: "End", name: "End" },
  { key: "page up", sign: "PgUp", name: "Page up" },
  { key: "page down", sign: "PgDn", name: "Page down" },
];

/** Characters that need several taps on most phone keyboards. */
const EXTRA_CHARACTERS = ["|", "/", "-", "~"];

/** The first tap holds a modifier for one key, the second locks it, the third releases it. */
const NEXT_STATE: Readonly<Record<ModifierState, ModifierState>> = {
  no: "once",
  once: "locked",
  locked: "no",
};

export function KeyBar({ panel }: { panel: TerminalPanel }) {
  const { input } = panel;
  return (
    <div class="key-bar" role="toolbar" aria-label="Keys">
      <Key onPress={() => input.input("\u001B")}>Esc</Key>
      <Key onPress={() => input.input("\t")}>Tab</Key>
      <Modifier holding={input.modifiers.ctrl}>Ctrl</Modifier>
      <Modifier holding={input.modifiers.alt}>Alt</Modifier>
      {SPECIAL_KEYS.slice(0, 4).map(({ key, sign, name }) => (
        <Key key={key} name={name} repeats onPress={() => panel.press(key)}>
          {sign}
        </Key>
      ))}
      <Key onPress={() => void panel.paste()}>Paste</Key>
      {EXTRA_CHARACTERS.map((sign) => (
        <Key key={sign} repeats onPress={() => input.input(sign)}>
          {sign}
        </Key>
      ))}
      {SPECIAL_KEYS.slice(4).map(({ key, sign, name }) => (
        <Key key={key} name={name} repeats onPress={() => panel.press(key)}>
          {sign}
        </Key>
      ))}
    </div>
  );
}

function Modifier({ holding, children }: { holding: Signal<ModifierState>; children: string }) {
  const now = holding.value;
  return (
    <Key
      pressed={now !== "no"}
      locked={now === "locked"}
      onPress={() => (holding.value = NEXT_STATE[now])}
    >
      {children}
    </Key>
  );
}

interface KeyProps {
  name?: string;
  pressed?: boolean;
  locked?: boolean;
  /** Repeats while a finger holds it. */
  repeats?: boolean;
  onPress: () => void;
  children: ComponentChildren;
}

function Key({ name, pressed, locked, repeats = false, onPress, children }: KeyProps) {
  const press = useRef(onPress);
  press.current = onPress;
  const [repeat] = useState(() => new KeyRepeat(() => press.current()));
  useEffect(() => () => repeat.onUp(), []);
  return (
    <button
      type="button"
      aria-label={name}
      aria-pressed={pressed}
      data-locked={locked}
      onPointerDown={(event) => {
        // Keeps the focus in the terminal; losing it would hide the phone's keyboard.
        event.preventDefault();
        if (repeats) repeat.onDown();
      }}
      onPointerUp={() => repeat.onUp()}
      // The finger scrolls the bar instead of pressing.
      onPointerCancel={() => repeat.onUp()}
      onPointerLeave={() => repeat.onUp()}
      onContextMenu={(event) => event.preventDefault()}
      onClick={() => repeat.click()}
    >
      {children}
    </button>
  );
}

/** Delay before the first repetition and between the next ones, as on keyboards. */
const REPEAT_DELAY_MS = 400;
const REPEAT_INTERVAL_MS = 60;

export class KeyRepeat {
  readonly #press: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #hasRepeated = false;

  constructor(press: () => void) {
    this.#press = press;
  }

  onDown(): void {
    this.onUp();
    this.#hasRepeated = false;
    this.#timer = setTimeout(() => this.#repeat(), REPEAT_DELAY_MS);
  }

  onUp(): void {
    clearTimeout(this.#timer);
  }

  /** Handles the click after the finger lifts: presses the key unless it has repeated. */
  click(): void {
    if (!this.#hasRepeated) this.#press();
    this.#hasRepeated = false;
  }

  #repeat(): void {
    this.#hasRepeated = true;
    this.#press();
    this.#timer = setTimeout(() => this.#repeat(), REPEAT_INTERVAL_MS);
  }
}
