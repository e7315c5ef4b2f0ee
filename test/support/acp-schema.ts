// Owns the check of what the bridge says to coding agents against the protocol's published schema.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AnyMessage } from "@agentclientprotocol/sdk";
import { Ajv2020 } from "ajv/dist/2020.js";

const sdk = createRequire(import.meta.url).resolve("@agentclientprotocol/sdk");
const root = sdk.slice(0, sdk.indexOf(join("@agentclientprotocol", "sdk")));
const SCHEMA = join(root, "@agentclientprotocol", "sdk", "schema", "v1", "schema.json");

/** What we send, by method: the form of our questions, and of our answers. */
const ASKED: Readonly<Record<string, string>> = {
  initialize: "InitializeRequest",
  "session/new": "NewSessionRequest",
  "session/load": "LoadSessionRequest",
  "session/close": "CloseSessionRequest",
  "session/prompt": "PromptRequest",
  "session/set_mode": "SetSessionModeRequest",
  "session/cancel": "CancelNotification",
};
const ANSWERED: Readonly<Record<string, string>> = {
  "session/request_permission": "RequestPermissionResponse",
  "fs/read_text_file": "ReadTextFileResponse",
  "fs/write_text_file": "WriteTextFileResponse",
  "terminal/create": "CreateTerminalResponse",
  "terminal/output": "TerminalOutputResponse",
  "terminal/wait_for_exit": "WaitForTerminalExitResponse",
  "terminal/kill": "KillTerminalResponse",
  "terminal/release": "ReleaseTerminalResponse",
};

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
ajv.addSchema(JSON.parse(readFileSync(SCHEMA, "utf8")), "acp");

/** A sentence for each message that does not fit; `heard` is what the agent said. */
export function misfits(sent: readonly AnyMessage[], received: readonly AnyMessage[]): string[] {
  const methods = new Map(
    received.flatMap((message) =>
      "method" in message && "id" in message ? [[message.id, message.method] as const] : [],
    ),
  );
  return sent.flatMap((message) => {
    if ("method" in message) return misfit(ASKED, message.method, message.params);
    if ("error" in message) return misfit({ error: "Error" }, "error", message.error);
    return misfit(ANSWERED, methods.get(message.id) ?? "", message.result);
  });
}

function misfit(table: Readonly<Record<string, string>>, method: string, value: unknown): string[] {
  const name = table[method];
  if (name === undefined) return [`${method}: not in the table`];
  const validate = ajv.getSchema(`acp#/$defs/${name}`);
  if (validate === undefined) return [`${name}: not in the schema`];
  if (validate(value) === true) return [];
  return [`${method}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`];
}
