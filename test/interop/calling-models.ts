// Owns stand-ins for models that call tools of an MCP server, one after the other, and keep what their
// client shows them of each answer: Anthropic's messages and OpenAI's responses, on loopback.

import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";

export interface ToolCall {
  readonly name: string;
  readonly args: object;
}

export interface CallingModel {
  readonly address: string;
  /** What the client showed of each call's answer, in order. */
  readonly shown: readonly string[];
  close(): void;
}

/** One request of a client: the answers that it brings, and how to reply to it. */
type Read = (body: string) => { readonly shown: readonly string[]; reply: Reply } | undefined;
type Reply = (call: ToolCall | undefined, number: number) => readonly object[];

async function serve(calls: readonly ToolCall[], read: Read): Promise<CallingModel> {
  const shown: string[] = [];
  const server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      const asked = read(body);
      if (asked === undefined) return sendJson(response, { input_tokens: 10, data: [] });
      shown.splice(0, shown.length, ...asked.shown);
      const at = asked.shown.length;
      return sendEvents(response, asked.reply(calls[at], at));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, shown, close: () => void server.close() };
}

const Block = z.looseObject({ type: z.string(), content: z.optional(z.unknown()) });
const Messages = z.looseObject({
  model: z.string(),
  tools: z.array(z.looseObject({ name: z.string() })),
  messages: z.array(z.looseObject({ content: z.union([z.string(), z.array(Block)]) })),
});

/** Calls the tools of the server `pairpty` as Claude Code names them. */
export function anthropicCalling(...calls: ToolCall[]): Promise<CallingModel> {
  return serve(calls, (body) => {
    const asked = parseText(Messages, body);
    if (!asked.ok || !asked.value.tools.some(({ name }) => isOurs(name))) return undefined;
    const { model, messages } = asked.value;
    const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
    const results = blocks.filter(({ type }) => type === "tool_result");
    return { shown: results.map(({ content }) => asText(content)), reply: replyAs(model) };
  });
}

function replyAs(model: string): Reply {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model, content: [], usage };
  return (call, at) => {
    const name = `mcp__pairpty__${call?.name}`;
    const [content_block, delta] =
      call === undefined
        ? [
            { type: "text", text: "" },
            { type: "text_delta", text: "Done." },
          ]
        : [
            { type: "tool_use", id: `toolu_${at}`, name, input: {} },
            { type: "input_json_delta", partial_json: JSON.stringify(call.args) },
          ];
    const stop_reason = call === undefined ? "end_turn" : "tool_use";
    return [
      { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
      { type: "content_block_start", index: 0, content_block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ];
  };
}

const Responses = z.looseObject({
  tools: z.array(z.looseObject({ type: z.string(), name: z.optional(z.string()) })),
  input: z.array(z.looseObject({ type: z.optional(z.string()), output: z.optional(z.unknown()) })),
});

/** The same as Codex has it: a server's tools are a namespace. */
export function openaiCalling(...calls: ToolCall[]): Promise<CallingModel> {
  return serve(calls, (body) => {
    const asked = parseText(Responses, body);
    if (!asked.ok) return undefined;
    const { tools, input } = asked.value;
    const namespace = tools.find(({ name = "" }) => isOurs(name))?.name;
    const results = input.filter(({ type }) => type === "function_call_output");
    const reply: Reply = (call, at) => {
      const item =
        call === undefined
          ? {
              type: "message",
              role: "assistant",
              content: [{ type: "output_text", text: "Done." }],
            }
          : {
              type: "function_call",
              id: `fc_${at}`,
              call_id: `call_${at}`,
              namespace,
              name: call.name,
              arguments: JSON.stringify(call.args),
            };
      const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
      return [
        { type: "response.created", response: { id: "r1" } },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response: { id: "r1", usage, output: [item] } },
      ];
    };
    return { shown: results.map(({ output }) => asText(output)), reply };
  });
}

function isOurs(name: string): boolean {
  return name.startsWith("mcp__pairpty");
}

/** A text, or blocks with one each. */
function asText(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks = z.safeParse(z.array(z.looseObject({ text: z.string() })), content);
  return blocks.success ? blocks.data.map((block) => block.text).join("\n") : "";
}

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function sendEvents(response: ServerResponse, events: readonly object[]): void {
  const lines = events.map((event) => {
    const name = "type" in event ? String(event.type) : "";
    return `event: ${name}\ndata: ${JSON.stringify(event)}\n\n`;
  });
  response.writeHead(200, { "content-type": "text/event-stream" }).end(lines.join(""));
}
