// Owns two tools with hand-written schemas: JSON Schema keywords that must reach a client unchanged
// (SEP-1613, SEP-2106), and an argument that is also sent as a header (SEP-2243).

import type { McpServer } from "@modelcontextprotocol/server";
import { fromJsonSchema } from "@modelcontextprotocol/server";
import { textBlock } from "./samples.ts";

const contact = fromJsonSchema({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // oxlint-disable-next-line unicorn/no-thenable -- a word of JSON Schema
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
});

/** Separate constant: the schema's type does not know MCP's own keyword. */
const asHeader = {
  type: "string",
  description: "Also a header",
  "x-mcp-header": "Region",
} as const;
const region = fromJsonSchema<{ region?: string; level?: number }>({
  type: "object",
  properties: { region: asHeader, level: { type: "integer", description: "No header" } },
});

export function registerSchemas(server: McpServer): void {
  server.registerTool(
    "json_schema_2020_12_tool",
    { description: "Has a schema with words of 2020-12", inputSchema: contact },
    (args) => ({ content: [textBlock(JSON.stringify(args))] }),
  );
  server.registerTool(
    "test_x_mcp_header",
    { description: "Has an argument that is a header too", inputSchema: region },
    (args) => ({ content: [textBlock(args.region ?? "none")] }),
  );
}
