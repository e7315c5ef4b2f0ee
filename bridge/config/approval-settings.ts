// Owns the settings below `approvals`: when people are asked about agents' commands. They stand in
// files only: an agent's command line could say a flag.

import * as z from "zod/mini";
import type { OnUnknownTimeout } from "../approvals/approvals.ts";
import { ON_UNKNOWN_TIMEOUT } from "../approvals/approvals.ts";
import type { InSandbox } from "../pipeline/verdicts.ts";
import { IN_SANDBOX } from "../pipeline/verdicts.ts";
import type { Row, Values } from "./schema.ts";

export const approvalShapes = {
  "approvals.inSandbox": z.enum(IN_SANDBOX),
  "approvals.onUnknownTimeout": z.enum(ON_UNKNOWN_TIMEOUT),
};

export const approvalRows: Readonly<Record<keyof typeof approvalShapes, Row>> = {
  "approvals.inSandbox": {
    form: "text",
    default: "run",
    flag: undefined,
    noun: "what to do in a sandbox",
    right: "Write run or ask.",
    about:
      "What happens with an agent's `unknown` command in a sandbox or container: it runs, since the wall is there, or pairpty asks a person. About a `dangerous` one pairpty always asks.",
    example: "ask",
    project: {
      may: "tighten",
      why: "pairpty would ask about fewer commands",
      how: "only `ask`",
      noWider: (value) => value === "ask",
    },
  },
  "approvals.onUnknownTimeout": {
    form: "text",
    default: "deny",
    flag: undefined,
    noun: "what to do when nobody answers",
    right: "Write deny or allow.",
    about:
      "What happens with an agent's `unknown` command when nobody answers within 10 s. With `deny` the agent gets an error that says that the approval is still open; with `allow` the command runs. A `dangerous` one never runs without an answer.",
    example: "allow",
    project: {
      may: "never",
      why: "commands would run that nobody allowed",
      how: "only `deny`",
      noWider: (value) => value === "deny",
    },
  },
};

export interface ApprovalOptions {
  readonly inSandbox: InSandbox;
  readonly onUnknownTimeout: OnUnknownTimeout;
}

export function approvalOptionsOf(values: Values): ApprovalOptions {
  return {
    inSandbox: values["approvals.inSandbox"] ?? "run",
    onUnknownTimeout: values["approvals.onUnknownTimeout"] ?? "deny",
  };
}
