// Owns the resources that the suite reads: two static ones, one to subscribe to, and a template.

import type { McpServer } from "@modelcontextprotocol/server";
import { ResourceTemplate } from "@modelcontextprotocol/server";
import { PIXEL_PNG } from "./samples.ts";

const PLAIN = "text/plain";

export function registerStaticResources(server: McpServer): void {
  for (const name of ["static-text", "watched-resource"]) {
    const uri = `test://${name}`;
    const text = `This is the content of ${name}.`;
    server.registerResource(name, uri, { description: "Text", mimeType: PLAIN }, () => ({
      contents: [{ uri, mimeType: PLAIN, text }],
    }));
  }
  const mimeType = "image/png";
  const binary = "test://static-binary";
  server.registerResource("static-binary", binary, { description: "Bytes", mimeType }, () => ({
    contents: [{ uri: binary, mimeType, blob: PIXEL_PNG }],
  }));
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { description: "Made from its address", mimeType: "application/json" },
    (uri, { id }) => {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` });
      return { contents: [{ uri: uri.href, mimeType: "application/json", text }] };
    },
  );
}
