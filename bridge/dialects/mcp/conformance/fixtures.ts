// Owns what the official conformance suite needs beside pairpty's own tools. Loaded only with the
// hidden flag `--conformance`, never in normal use.

import type { Fixtures } from "../fixtures.ts";
import { registerForms } from "./asking.ts";
import { registerContent } from "./content.ts";
import { registerDiagnostics } from "./diagnostics.ts";
import { registerInputRequired, stateCodec } from "./input-required.ts";
import { registerMessages } from "./messages.ts";
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
    registerForms(server);
    registerInputRequired(server);
    registerDiagnostics(server, notifier);
    registerSchemas(server);
    registerStaticResources(server);
    registerPrompts(server);
  },
};
