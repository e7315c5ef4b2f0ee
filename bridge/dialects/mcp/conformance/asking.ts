// Owns how a tool requests input from the client, and the tools that only do that. Written once for
// both wires: on a 2025 one the SDK sends the required inputs as requests of its own.

import type { InputRequest, McpServer, ServerContext } from "@modelcontextprotocol/server";
import { inputRequired, inputResponse } from "@modelcontextprotocol/server";
import * as z from "zod";
import { choicesForm, defaultsForm, responseForm } from "./elicitation-forms.ts";
import { text } from "./samples.ts";

export const done = (words: string) => ({ content: [text(words)] });

export const sample = (question: string) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: text(question) }],
    maxTokens: 100,
  });

/** Returns the client's answer to one input as text; undefined while there is none. */
export function answered({ mcpReq }: ServerContext, key: string): string | undefined {
  const view = inputResponse(mcpReq.inputResponses, key);
  return view.kind === "missing" ? undefined : JSON.stringify(view);
}

export function registerAsking(
  server: McpServer,
  name: string,
  key: string,
  request: InputRequest,
): void {
  server.registerTool(name, { description: `Asks the client for ${request.method}` }, (ctx) => {
    const answer = answered(ctx, key);
    if (answer === undefined) return inputRequired({ inputRequests: { [key]: request } });
    return done(`Answered: ${answer}`);
  });
}

export function registerForms(server: McpServer): void {
  registerAsking(
    server,
    "test_elicitation_sep1034_defaults",
    "form",
    inputRequired.elicit(defaultsForm),
  );
  registerAsking(
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
      const answer = answered(ctx, "form");
      if (answer !== undefined) return done(`Answered: ${answer}`);
      return inputRequired({
        inputRequests: { form: inputRequired.elicit(responseForm(message)) },
      });
    },
  );
  server.registerTool(
    "test_sampling",
    { description: "Asks the client's model", inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, ctx) => {
      const answer = answered(ctx, "model");
      if (answer !== undefined) return done(`Answered: ${answer}`);
      return inputRequired({ inputRequests: { model: sample(prompt) } });
    },
  );
}
