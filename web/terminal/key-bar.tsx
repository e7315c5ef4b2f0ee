// Owns the bar with keys that a phone's keyboard lacks. Shown on touch devices.

import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Special } from "./keystrokes.ts";
import type { TerminalPanel } from "./panel.ts";
import { Repeating } from "./repeating.ts";
import type { Holding } from "./typing.ts";

const SPECIAL: readonly { key: Special; sign: string; name: string }[] = [
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
const SIGNS = ["|", "/", "-", "~"];

/** The first tap holds a modifier for one key, the second locks it, the third releases it. */
const NEXT: Readonly<Record<Holding, Holding>> = { no: "once", once: "locked", locked: "no" };

export function KeyBar({ panel }: { panel: TerminalPanel }) {
  const { typing } = panel;
  return (
    <div class="key-bar" role="toolbar" aria-label="Keys">
      <Key onPress={() => typing.input("\u001B")}>Esc</Key>
      <Key onPress={() => typing.input("\t")}>Tab</Key>
      <Modifier holding={typing.held.ctrl}>Ctrl</Modifier>
      <Modifier holding={typing.held.alt}>Alt</Modifier>
      {SPECIAL.slice(0, 4).map(({ key, sign, name }) => (
        <Key key={key} name={name} repeats onPress={() => panel.press(key)}>
          {sign}
        </Key>
      ))}
      <Key onPress={() => void panel.paste()}>Paste</Key>
      {SIGNS.map((sign) => (
        <Key key={sign} repeats onPress={() => typing.input(sign)}>
          {sign}
        </Key>
      ))}
      {SPECIAL.slice(4).map(({ key, sign, name }) => (
        <Key key={key} name={name} repeats onPress={() => panel.press(key)}>
          {sign}
        </Key>
      ))}
    </div>
  );
}

function Modifier({ holding, children }: { holding: Signal<Holding>; children: string }) {
  const now = holding.value;
  return (
    <Key
      pressed={now !== "no"}
      locked={now === "locked"}
      onPress={() => (holding.value = NEXT[now])}
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
  const [repeating] = useState(() => new Repeating(() => press.current()));
  useEffect(() => () => repeating.up(), []);
  return (
    <button
      type="button"
      aria-label={name}
      aria-pressed={pressed}
      data-locked={locked}
      onPointerDown={(event) => {
        // Keeps the focus in the terminal; losing it would hide the phone's keyboard.
        event.preventDefault();
        if (repeats) repeating.down();
      }}
      onPointerUp={() => repeating.up()}
      // The finger scrolls the bar instead of pressing.
      onPointerCancel={() => repeating.up()}
      onPointerLeave={() => repeating.up()}
      onContextMenu={(event) => event.preventDefault()}
      onClick={() => repeating.click()}
    >
      {children}
    </button>
  );
}
