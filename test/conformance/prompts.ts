// Owns the suite's prompts; pairpty itself has none.

import type { ContentBlock, GetPromptResult, McpServer } from "@modelcontextprotocol/server";
import { acceptedContent, completable, inputRequired } from "@modelcontextprotocol/server";
import * as z from "zod";
import { contextForm } from "./elicitation-forms.ts";
import { resourceBlock, image, textBlock } from "./samples.ts";

const CONTEXT = z.object({ context: z.string() });

/** The suite requests completions for `arg1`. */
const ARGUMENTS = z.object({
  arg1: completable(z.string().describe("First argument"), (typed) =>
    ["paris", "park", "party"].filter((word) => word.startsWith(typed)),
  ),
  arg2: z.string().describe("Second argument"),
});

function toPromptResult(...contents: ContentBlock[]): GetPromptResult {
  return { messages: contents.map((content) => ({ role: "user", content })) };
}

export function registerPrompts(server: McpServer): void {
  server.registerPrompt("test_simple_prompt", { description: "One sentence" }, () =>
    toPromptResult(textBlock("This is a simple prompt for testing.")),
  );
  server.registerPrompt("test_prompt_with_image", { description: "Shows an image" }, () =>
    toPromptResult(image, textBlock("Please look at the image above.")),
  );
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "Takes two arguments", argsSchema: ARGUMENTS },
    ({ arg1, arg2 }) =>
      toPromptResult(textBlock(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "Embeds a resource", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) =>
      toPromptResult(
        resourceBlock(resourceUri, "text/plain", "The content of an embedded resource."),
        textBlock("Please read the resource above."),
      ),
  );
  server.registerPrompt(
    "test_input_required_result_prompt",
    { description: "Asks for a context first" },
    ({ mcpReq }) => {
      const given = acceptedContent(mcpReq.inputResponses, "user_context", CONTEXT);
      if (given !== undefined)
        return toPromptResult(textBlock(`Use this context: ${given.context}`));
      return inputRequired({ inputRequests: { user_context: inputRequired.elicit(contextForm) } });
    },
  );
}
