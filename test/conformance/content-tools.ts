// Owns the tools that return one kind of content each, and the one that fails.

import type { ContentBlock, McpServer } from "@modelcontextprotocol/server";
import { audio, resourceBlock, image, textBlock } from "./samples.ts";

const ANSWERS: Record<string, ContentBlock[]> = {
  test_simple_text: [textBlock("This is a simple text response for testing.")],
  test_image_content: [image],
  test_audio_content: [audio],
  test_embedded_resource: [
    resourceBlock(
      "test://embedded-resource",
      "text/plain",
      "This is the content of an embedded resource.",
    ),
  ],
  test_multiple_content_types: [
    textBlock("Multiple content types test:"),
    image,
    resourceBlock(
      "test://mixed-content-resource",
      "application/json",
      '{"test":"data","value":123}',
    ),
  ],
};

export function registerContent(server: McpServer): void {
  for (const [name, content] of Object.entries(ANSWERS)) {
    const description = `Answers with ${content.map(({ type }) => type).join(", ")}`;
    server.registerTool(name, { description }, () => ({ content: [...content] }));
  }
  server.registerTool("test_error_handling", { description: "Fails always" }, () => {
    throw new Error("This tool fails on purpose, for testing");
  });
}
