// Owns what the official conformance suite needs beside pairpty's own tools. A build of its own
// (dist/conformance), which the package does not contain; the hidden flag `--conformance` loads it.

import type { Fixtures } from "../../bridge/dialects/mcp/dialect.ts";
import { registerFormTools } from "./client-input.ts";
import { registerContent } from "./content-tools.ts";
import { registerDiagnostics } from "./diagnostics.ts";
import { registerInputRequired, stateCodec } from "./input-required.ts";
import { registerMessages } from "./message-tools.ts";
import { registerPrompts } from "./prompts.ts";
import { registerStaticResources } from "./static-resources.ts";
import { registerSchemas } from "./tool-schemas.ts";

export const fixtures: Fixtures = {
  options: {
    capabilities: { logging: {} },
    requestState: { verify: (state, ctx) => stateCodec.verify(state, ctx) },
  },
  register: (server, notifier) => {
    registerContent(server);
    registerMessages(server);
    registerFormTools(server);
    registerInputRequired(server);
    registerDiagnostics(server, notifier);
    registerSchemas(server);
    registerStaticResources(server);
    registerPrompts(server);
  },
};
