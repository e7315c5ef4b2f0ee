// Owns the dialog for this browser's settings. Every change applies immediately to all open terminals;
// there is nothing to save.

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Keys } from "../commands/command-button.tsx";
import { SHOW_PALETTE } from "../commands/frame-commands.ts";
import { useVisit } from "../context.ts";
import {
  BELLS,
  changeSettings,
  DEFAULTS,
  FONTS,
  PREDICTIONS,
  SCROLLBACKS,
  settings,
} from "../settings/settings.ts";
import { fontSize, MIN_FONT_PX, MAX_FONT_PX, changeFontSize } from "../terminal/screen-size.ts";
import { THEMES } from "../themes/theme-list.ts";
import { closeDialog, Modal } from "./modal.tsx";
import "./settings.css";

const BELL_LABELS: Readonly<Record<(typeof BELLS)[number], string>> = {
  tab: "Mark the tab",
  flash: "Mark the tab, flash the terminal",
  sound: "Mark the tab, make a sound",
};

const PREDICTION_LABELS: Readonly<Record<(typeof PREDICTIONS)[number], string>> = {
  auto: "On slow networks",
  always: "Always",
  off: "Never",
};

export function SettingsDialog() {
  const now = settings.value;
  return (
    <Modal title="Settings for this browser" look="settings-dialog">
      <div class="settings">
        <SettingRow id="theme" title="Theme">
          <SettingSelect
            id="theme"
            value={now.theme}
            onPick={(theme) => changeSettings({ theme })}
            options={[
              ["system", "Follow the system"],
              ...THEMES.map(({ id, name }) => [id, name] as const),
            ]}
          />
        </SettingRow>
        <SettingRow id="font" title="Font" hint="It must be installed on this machine.">
          <SettingSelect
            id="font"
            value={now.font}
            onPick={(font) => changeSettings({ font })}
            options={Object.keys(FONTS).map((name) => [name, name])}
          />
        </SettingRow>
        <SettingRow id="size" title="Text size">
          <input
            id="settings-size"
            type="number"
            min={MIN_FONT_PX}
            max={MAX_FONT_PX}
            value={fontSize.value}
            onInput={({ currentTarget: { valueAsNumber: size } }) => {
              // Ignores a number that is still being typed.
              if (size >= MIN_FONT_PX && size <= MAX_FONT_PX)
                changeFontSize(size - fontSize.peek());
            }}
          />
        </SettingRow>
        <SettingRow id="scrollback" title="Scrollback lines">
          <SettingSelect
            id="scrollback"
            value={String(now.scrollback)}
            onPick={(lines) => changeSettings({ scrollback: Number(lines) })}
            options={SCROLLBACKS.map((lines) => [String(lines), lines.toLocaleString()])}
          />
        </SettingRow>
        <SettingRow id="bell" title="When a program rings the bell">
          <SettingSelect
            id="bell"
            value={now.bell}
            onPick={(picked) =>
              changeSettings({ bell: BELLS.find((one) => one === picked) ?? "tab" })
            }
            options={BELLS.map((bell) => [bell, BELL_LABELS[bell]])}
          />
        </SettingRow>
        <SettingRow
          id="prediction"
          title="Type ahead"
          hint="Shows what you type at once, underlined until the program answers."
        >
          <SettingSelect
            id="prediction"
            value={now.prediction}
            onPick={(picked) =>
              changeSettings({ prediction: PREDICTIONS.find((one) => one === picked) ?? "auto" })
            }
            options={PREDICTIONS.map((one) => [one, PREDICTION_LABELS[one]])}
          />
        </SettingRow>
        <SettingRow id="reader" title="Screen reader" hint="Reads out what terminals print.">
          <input
            id="settings-reader"
            type="checkbox"
            checked={now.reader}
            onChange={({ currentTarget }) => changeSettings({ reader: currentTarget.checked })}
          />
        </SettingRow>
        <ShellKeys />
      </div>
      <p class="hint">Animations are off if your system is set to reduce motion.</p>
      <div class="actions">
        <button type="button" class="quiet" onClick={resetAll}>
          Reset all
        </button>
        <button type="button" class="primary" onClick={closeDialog}>
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
  const rows = commands
    .listByScope("page")
    .filter(({ id, run }) => run !== undefined && id !== SHOW_PALETTE.id);
  const set = (id: string, isGiven: boolean): void => {
    const others = settings.peek().shell.filter((one) => one !== id);
    changeSettings({ shell: isGiven ? [...others, id] : others });
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

interface SettingRowProps {
  id: string;
  title: string;
  hint?: string;
  children: ComponentChildren;
}

function SettingRow({ id, title, hint, children }: SettingRowProps) {
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

interface SettingSelectProps {
  id: string;
  value: string;
  options: readonly (readonly [value: string, text: string])[];
  onPick: (value: string) => void;
}

function SettingSelect({ id, value, options, onPick }: SettingSelectProps) {
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

function resetAll(): void {
  changeSettings(DEFAULTS);
  changeFontSize(undefined);
}
