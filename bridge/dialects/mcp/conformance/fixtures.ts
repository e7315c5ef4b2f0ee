// Owns what the official conformance suite needs beside pairpty's own tools. Loaded only with the
// hidden flag `--conformance`, never in normal use.

import type { Fixtures } from "../dialect.ts";
import { registerFormTools } from "./client-input.ts";
import { registerContent } from "./content-tools.ts";
import { registerDiagnostics } from "./diagnostics.ts";
import { registerInputRequired, stateCodec } from "./input-required.ts";
import { registerMessages } from "./message-tools.ts";
import { registerPrompts } from "./prompts.ts";
import { registerStaticResources } from "./static-resources.ts";
import { registerSchemas } from "./tool-schemas.ts";

export const conformance: Fixtures = {
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
