// Owns the settings below `acp`: what coding agents that use ACP may request from pairpty. Settable
// in files only.

import * as z from "zod/mini";
import type { Row, Values } from "./schema.ts";
import { onlyFalse, YES_OR_NO } from "./yes-or-no.ts";

export const acpShapes = {
  "acp.terminal": z.boolean(),
  "acp.files": z.boolean(),
};

export const acpRows: Readonly<Record<keyof typeof acpShapes, Row>> = {
  "acp.terminal": {
    ...YES_OR_NO,
    default: true,
    about:
      "Let coding agents that speak ACP run commands in terminals of this workspace (`terminal/create` and the related methods), under the policy and approvals of every agent.",
    example: false,
    project: onlyFalse("agents get another way to run commands"),
  },
  "acp.files": {
    ...YES_OR_NO,
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

export function acpOptionsOf(values: Values): AcpOptions {
  return {
    hasTerminals: values["acp.terminal"] ?? true,
    hasFiles: values["acp.files"] ?? true,
  };
}
