// Owns the settings below `acp`: what coding agents that use ACP may request from pairpty. Settable
// in files only.

import * as z from "zod/mini";
import type { SettingRow, SettingValues } from "./schema.ts";
import { onlyFalse, BOOLEAN_ROW } from "./boolean-row.ts";

export const acpShapes = {
  "acp.terminal": z.boolean(),
  "acp.files": z.boolean(),
};

export const acpRows: Readonly<Record<keyof typeof acpShapes, SettingRow>> = {
  "acp.terminal": {
    ...BOOLEAN_ROW,
    default: true,
    about:
      "Let coding agents that speak ACP run commands in terminals of this workspace (`terminal/create` and the related methods), under the policy and approvals of every agent.",
    example: false,
    project: onlyFalse("agents get another way to run commands"),
  },
  "acp.files": {
    ...BOOLEAN_ROW,
    default: true,
    about:
      "Let coding agents that speak ACP read files of the shared folders, and write them after a person approves (`fs/read_text_file`, `fs/write_text_file`).",
    example: false,
    project: onlyFalse("agents get another way to read and write files"),
  },
};

export interface AcpOptions {
  readonly hasTerminals: boolean;
  readonly hasFiles: boolean;
}

export function toAcpOptions(values: SettingValues): AcpOptions {
  return {
    hasTerminals: values["acp.terminal"] ?? true,
    hasFiles: values["acp.files"] ?? true,
  };
}
