// Owns the settings below `plugins`, for terminal panels. Settable in files only.

import * as z from "zod/mini";
import type { Row } from "./schema.ts";
import { onlyFalse, YES_OR_NO } from "./yes-or-no.ts";

const LONGEST_TEXT = 4_096;

export const pluginShapes = {
  "plugins.terminal.enabled": z.boolean(),
  "plugins.terminal.shell": z.string().check(z.minLength(1), z.maxLength(LONGEST_TEXT)),
  "plugins.terminal.debug": z.boolean(),
};

export const pluginRows: Readonly<Record<keyof typeof pluginShapes, Row>> = {
  "plugins.terminal.enabled": {
    ...YES_OR_NO,
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
    ...YES_OR_NO,
    default: false,
    about:
      "Enable debug logging for panel events and PTY lifecycle: `pairpty logs` shows them. Only the size of texts is logged.",
    example: true,
    project: onlyFalse("it fills the log"),
  },
};
