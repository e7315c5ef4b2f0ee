// Owns the dialog for this browser's settings. Every change applies immediately to all open terminals;
// there is nothing to save.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Keys } from "../commands/key-caps.tsx";
import { PALETTE } from "../commands/frame.ts";
import { useVisit } from "../context.ts";
import {
  BELLS,
  change,
  DEFAULTS,
  FONTS,
  PREDICTIONS,
  SCROLLBACKS,
  settings,
} from "../settings/settings.ts";
import { fontSize, LEAST_PX, MOST_PX, zoomBy } from "../terminal/zoom.ts";
import { THEMES } from "../themes/all.ts";
import { close, Modal } from "./modal.tsx";
import "./settings.css";

const BELL_WORDS: Readonly<Record<(typeof BELLS)[number], string>> = {
  tab: "Mark the tab",
  flash: "Mark the tab, flash the terminal",
  sound: "Mark the tab, make a sound",
};

const PREDICTION_WORDS: Readonly<Record<(typeof PREDICTIONS)[number], string>> = {
  auto: "On slow networks",
  always: "Always",
  off: "Never",
};

export function SettingsDialog() {
  const now = settings.value;
  return (
    <Modal title="Settings for this browser" look="settings-dialog">
      <div class="settings">
        <Row id="theme" title="Theme">
          <Choice
            id="theme"
            value={now.theme}
            onPick={(theme) => change({ theme })}
            options={[
              ["system", "Follow the system"],
              ...THEMES.map(({ id, name }) => [id, name] as const),
            ]}
          />
        </Row>
        <Row id="font" title="Font" hint="It must be installed on this machine.">
          <Choice
            id="font"
            value={now.font}
            onPick={(font) => change({ font })}
            options={Object.keys(FONTS).map((name) => [name, name])}
          />
        </Row>
        <Row id="size" title="Text size">
          <input
            id="settings-size"
            type="number"
            min={LEAST_PX}
            max={MOST_PX}
            value={fontSize.value}
            onInput={({ currentTarget: { valueAsNumber: size } }) => {
              // Ignores a number that is still being typed.
              if (size >= LEAST_PX && size <= MOST_PX) zoomBy(size - fontSize.peek());
            }}
          />
        </Row>
        <Row id="scrollback" title="Scrollback lines">
          <Choice
            id="scrollback"
            value={String(now.scrollback)}
            onPick={(lines) => change({ scrollback: Number(lines) })}
            options={SCROLLBACKS.map((lines) => [String(lines), lines.toLocaleString()])}
          />
        </Row>
        <Row id="bell" title="When a program rings the bell">
          <Choice
            id="bell"
            value={now.bell}
            onPick={(picked) => change({ bell: BELLS.find((one) => one === picked) ?? "tab" })}
            options={BELLS.map((bell) => [bell, BELL_WORDS[bell]])}
          />
        </Row>
        <Row
          id="prediction"
          title="Type ahead"
          hint="Shows what you type at once, underlined until the program answers."
        >
          <Choice
            id="prediction"
            value={now.prediction}
            onPick={(picked) =>
              change({ prediction: PREDICTIONS.find((one) => one === picked) ?? "auto" })
            }
            options={PREDICTIONS.map((one) => [one, PREDICTION_WORDS[one]])}
          />
        </Row>
        <Row id="reader" title="Screen reader" hint="Reads out what terminals print.">
          <input
            id="settings-reader"
            type="checkbox"
            checked={now.reader}
            onChange={({ currentTarget }) => change({ reader: currentTarget.checked })}
          />
        </Row>
        <ShellKeys />
      </div>
      <p class="hint">Animations are off if your system is set to reduce motion.</p>
      <div class="actions">
        <button type="button" class="quiet" onClick={reset}>
          Reset all
        </button>
        <button type="button" class="primary" onClick={close}>
          Done
        </button>
      </div>
    </Modal>
  );
}

/** Lets the user pass shortcuts of the page on to the shell, except the palette's, which reaches all commands. */
function ShellKeys() {
  const { commands } = useVisit();
  const { shell } = settings.value;
  // Read once, so that the list does not fold while the user ticks boxes.
  const [isOpen] = useState(shell.length > 0);
  const rows = commands.of("page").filter(({ id, run }) => run !== undefined && id !== PALETTE.id);
  const set = (id: string, isGiven: boolean): void => {
    const others = settings.peek().shell.filter((one) => one !== id);
    change({ shell: isGiven ? [...others, id] : others });
  };
  return (
    <details class="shell-keys" open={isOpen}>
      <summary>
        Keys that go to the shell{shell.length > 0 && <span class="hint"> · {shell.length}</span>}
      </summary>
      <p class="hint">Checked keys go to the terminal. Their commands stay in the palette.</p>
      <ul>
        {rows.map(({ id, title, keys }) => (
          <li key={id}>
            <label>
              <input
                type="checkbox"
                checked={shell.includes(id)}
                onChange={({ currentTarget }) => set(id, currentTarget.checked)}
              />
              <Keys of={keys} />
              <span>{title}</span>
            </label>
          </li>
        ))}
      </ul>
    </details>
  );
}

interface RowProps {
  id: string;
  title: string;
  hint?: string;
  children: ComponentChildren;
}

function Row({ id, title, hint, children }: RowProps) {
  return (
    <div class="setting">
      <label for={`settings-${id}`}>
        {title}
        {hint !== undefined && <small class="hint">{hint}</small>}
      </label>
      {children}
    </div>
  );
}

interface ChoiceProps {
  id: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onPick: (value: string) => void;
}

function Choice({ id, value, options, onPick }: ChoiceProps) {
  return (
    <select
      id={`settings-${id}`}
      value={value}
      onChange={({ currentTarget }) => onPick(currentTarget.value)}
    >
      {options.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  );
}

function reset(): void {
  change(DEFAULTS);
  zoomBy(undefined);
}
