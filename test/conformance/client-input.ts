// Owns how a tool requests input from the client, and the tools that only do that. Written once for
// both wires: on a 2025 one the SDK sends the required inputs as requests of its own.

import type { InputRequest, McpServer, ServerContext } from "@modelcontextprotocol/server";
import { inputRequired, inputResponse } from "@modelcontextprotocol/server";
import * as z from "zod";
import { choicesForm, defaultsForm, responseForm } from "./elicitation-forms.ts";
import { textBlock } from "./samples.ts";

export const textResult = (content: string) => ({ content: [textBlock(content)] });

export const sampleRequest = (question: string) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: textBlock(question) }],
    maxTokens: 100,
  });

/** Returns the client's answer to one input as text; undefined while there is none. */
export function findAnswer({ mcpReq }: ServerContext, key: string): string | undefined {
  const view = inputResponse(mcpReq.inputResponses, key);
  return view.kind === "missing" ? undefined : JSON.stringify(view);
}

export function registerInputTool(
  server: McpServer,
  name: string,
  key: string,
  request: InputRequest,
): void {
  server.registerTool(name, { description: `Asks the client for ${request.method}` }, (ctx) => {
    const answer = findAnswer(ctx, key);
    if (answer === undefined) return inputRequired({ inputRequests: { [key]: request } });
    return textResult(`Answered: ${answer}`);
  });
}

export function registerFormTools(server: McpServer): void {
  registerInputTool(
    server,
    "test_elicitation_sep1034_defaults",
    "form",
    inputRequired.elicit(defaultsForm),
  );
  registerInputTool(
    server,
    "test_elicitation_sep1330_enums",
    "form",
    inputRequired.elicit(choicesForm),
  );
  server.registerTool(
    "test_elicitation",
    {
      description: "Asks the client's user",
      inputSchema: z.object({ message: z.string() }),
    },
    ({ message }, ctx) => {
      const answer = findAnswer(ctx, "form");
      if (answer !== undefined) return textResult(`Answered: ${answer}`);
      return inputRequired({
        inputRequests: { form: inputRequired.elicit(responseForm(message)) },
      });
    },
  );
  server.registerTool(
    "test_sampling",
    { description: "Asks the client's model", inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, ctx) => {
      const answer = findAnswer(ctx, "model");
      if (answer !== undefined) return textResult(`Answered: ${answer}`);
      return inputRequired({ inputRequests: { model: sampleRequest(prompt) } });
    },
  );
}
