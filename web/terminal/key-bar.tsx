// Owns the keys that a phone's keyboard does not have. Shown where fingers are the pointer.

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

/** Far away on most phones. */
const SIGNS = ["|", "/", "-", "~"];

/** A tap holds it for one key, a second one until the third. */
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
  /** Pressed again and again while a finger stays on it. */
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
        // The focus stays in the terminal, or the phone's keyboard would go.
        event.preventDefault();
        if (repeats) repeating.down();
      }}
      onPointerUp={() => repeating.up()}
      // The bar is swiped.
      onPointerCancel={() => repeating.up()}
      onPointerLeave={() => repeating.up()}
      onContextMenu={(event) => event.preventDefault()}
      onClick={() => repeating.click()}
    >
      {children}
    </button>
  );
}
