// Owns the settings below `plugins`, for terminal panels. Settable in files only.

import * as z from "zod/mini";
import type { SettingRow } from "./schema.ts";
import { onlyFalse, BOOLEAN_ROW } from "./boolean-row.ts";

const MAX_TEXT_CHARS = 4_096;

export const pluginShapes = {
  "plugins.terminal.enabled": z.boolean(),
  "plugins.terminal.shell": z.string().check(z.minLength(1), z.maxLength(MAX_TEXT_CHARS)),
  "plugins.terminal.debug": z.boolean(),
};

export const pluginRows: Readonly<Record<keyof typeof pluginShapes, SettingRow>> = {
  "plugins.terminal.enabled": {
    ...BOOLEAN_ROW,
    default: true,
    about: "Serve terminal panels: the `panel_event` messages, their operations and tools.",
    example: false,
    project: onlyFalse("people's clients get another way to open terminals"),
  },
  "plugins.terminal.shell": {
    form: "text",
    default: undefined,
    defaultWords: "the setting `shell`",
    flag: undefined,
    noun: "a program",
    right: "Name one program, without arguments, by its name or path.",
    about: "Shell for panels' terminals.",
    example: "/bin/bash",
    project: { may: "trust", why: "it runs as you" },
  },
  "plugins.terminal.debug": {
    ...BOOLEAN_ROW,
    default: false,
    about:
      "Enable debug logging for panel events and PTY lifecycle: `pairpty logs` shows them. Only the size of texts is logged.",
    example: true,
    project: onlyFalse("it fills the log"),
  },
};
