// Owns the keys that a phone's keyboard does not have. Shown where fingers are the pointer.

import type { ComponentChildren } from "preact";
import type { Arrow } from "./keystrokes.ts";
import type { TerminalPanel } from "./panel.ts";

const ARROWS: readonly { arrow: Arrow; sign: string; name: string }[] = [
  { arrow: "left", sign: "←", name: "Left" },
  { arrow: "down", sign: "↓", name: "Down" },
  { arrow: "up", sign: "↑", name: "Up" },
  { arrow: "right", sign: "→", name: "Right" },
];

export function KeyBar({ panel }: { panel: TerminalPanel }) {
  const { typing } = panel;
  const ctrl = typing.ctrl.value;
  return (
    <div class="key-bar" role="toolbar" aria-label="Keys">
      <Key onPress={() => typing.input("\u001B")}>Esc</Key>
      <Key onPress={() => typing.input("\t")}>Tab</Key>
      <Key pressed={ctrl} onPress={() => (typing.ctrl.value = !ctrl)}>
        Ctrl
      </Key>
      {ARROWS.map(({ arrow, sign, name }) => (
        <Key key={arrow} name={name} onPress={() => panel.arrow(arrow)}>
          {sign}
        </Key>
      ))}
    </div>
  );
}

interface KeyProps {
  name?: string;
  pressed?: boolean;
  onPress: () => void;
  children: ComponentChildren;
}

function Key({ name, pressed, onPress, children }: KeyProps) {
  return (
    <button
      type="button"
      aria-label={name}
      aria-pressed={pressed}
      // The focus stays in the terminal, or the phone's keyboard would go.
      onPointerDown={(event) => event.preventDefault()}
      onClick={onPress}
    >
      {children}
    </button>
  );
}
