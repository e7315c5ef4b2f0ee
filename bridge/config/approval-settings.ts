// Owns the settings below `approvals`: when agents' commands need approval. Settable in files only,
// since an agent could pass a flag.

import * as z from "zod/mini";
import type { OnUnknownTimeout } from "../approvals/approvals.ts";
import { ON_UNKNOWN_TIMEOUT } from "../approvals/approvals.ts";
import type { InSandbox } from "../pipeline/verdicts.ts";
import { IN_SANDBOX } from "../pipeline/verdicts.ts";
import type { SettingRow, SettingValues } from "./schema.ts";

export const approvalShapes = {
  "approvals.inSandbox": z.enum(IN_SANDBOX),
  "approvals.onUnknownTimeout": z.enum(ON_UNKNOWN_TIMEOUT),
};

export const approvalRows: Readonly<Record<keyof typeof approvalShapes, SettingRow>> = {
  "approvals.inSandbox": {
    form: "text",
    default: "run",
    flag: undefined,
    noun: "what to do in a sandbox",
    right: "Write run or ask.",
    about:
      "What happens with an agent's `unknown` command in a sandbox or container: it runs, since the isolation limits it, or pairpty asks a person. pairpty always asks about a `dangerous` one.",
    example: "ask",
    project: {
      may: "tighten",
      why: "pairpty would ask about fewer commands",
      how: "only `ask`",
      isNoWider: (value) => value === "ask",
    },
  },
  "approvals.onUnknownTimeout": {
    form: "text",
    default: "deny",
    flag: undefined,
    noun: "what to do when no one answers",
    right: "Write deny or allow.",
    about:
      "What happens with an agent's `unknown` command when no one answers within 10 s. With `deny` the agent gets an error that the approval is still open; with `allow` the command runs. A `dangerous` one never runs without an answer.",
    example: "allow",
    project: {
      may: "never",
      why: "commands would run without approval",
      how: "only `deny`",
      isNoWider: (value) => value === "deny",
    },
  },
};

export interface ApprovalOptions {
  readonly inSandbox: InSandbox;
  readonly onUnknownTimeout: OnUnknownTimeout;
}

export function toApprovalOptions(values: SettingValues): ApprovalOptions {
  return {
    inSandbox: values["approvals.inSandbox"] ?? "run",
    onUnknownTimeout: values["approvals.onUnknownTimeout"] ?? "deny",
  };
}
