// Owns stand-ins for the HTTP interfaces of models, on loopback: whoever asks first is told to run one
// command, and whoever comes back with its result is told that this was all.

import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import * as z from "zod/mini";
import { parseText } from "../../protocol/json.ts";

export const SAID = "It ran.";

const Tool = z.looseObject({
  name: z.optional(z.string()),
  function: z.optional(z.looseObject({ name: z.string() })),
});
const Asked = z.looseObject({
  model: z.optional(z.string()),
  stream: z.optional(z.boolean()),
  messages: z.optional(z.array(z.unknown())),
  tools: z.optional(z.array(Tool)),
});
type Asked = z.infer<typeof Asked>;

export interface Model {
  readonly address: string;
  close(): void;
}

async function serve(answer: (asked: Asked, response: ServerResponse) => void): Promise<Model> {
  const server: Server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const asked = parseText(Asked, body);
      if (asked.ok && asked.value.messages !== undefined) return answer(asked.value, response);
      // Lists of models, counts of tokens, what a client tells about itself.
      return send(response, "application/json", `{"input_tokens":10,"data":[]}`);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { address: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

/** The messages' interface of Anthropic. */
export function anthropic(command: string): Promise<Model> {
  return serve(({ model = "m", stream, messages, tools = [] }, response) => {
    const names = tools.flatMap(({ name }) => name ?? []);
    const tool =
      names.find((name) => /acp.*Bash$/.test(name)) ?? names.find((name) => name === "Bash");
    const isDone = JSON.stringify(messages).includes(`"tool_result"`);
    const isCall = tool !== undefined && !isDone;
    const input = { command, description: "run it", timeout: 20_000 };
    const call = { type: "tool_use", id: "toolu_1", name: tool };
    const block = isCall ? { ...call, input: {} } : { type: "text", text: "" };
    const delta = isCall
      ? { type: "input_json_delta", partial_json: JSON.stringify(input) }
      : { type: "text_delta", text: SAID };
    const reason = isCall ? "tool_use" : "end_turn";
    const message = { id: "msg_1", type: "message", role: "assistant", model };
    if (stream !== true) {
      const content = [isCall ? { ...call, input } : { type: "text", text: SAID }];
      const usage = { input_tokens: 1, output_tokens: 1 };
      const whole = { ...message, content, stop_reason: reason, usage };
      return send(response, "application/json", JSON.stringify(whole));
    }
    const usage = { input_tokens: 1, output_tokens: 1 };
    const begun = { ...message, content: [], stop_reason: null, stop_sequence: null, usage };
    const events = [
      { type: "message_start", message: begun },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: 5 },
      },
      { type: "message_stop" },
    ];
    const lines = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    return send(response, "text/event-stream", lines.join(""));
  });
}

/** The chat completions of OpenAI. */
export function openai(command: string): Promise<Model> {
  return serve(({ model = "m", messages = [], tools = [] }, response) => {
    const tool = tools.map((one) => one.function?.name).find((name) => name === "bash");
    const isDone = JSON.stringify(messages).includes(`"role":"tool"`);
    const isCall = tool !== undefined && !isDone;
    const call = { name: tool, arguments: JSON.stringify({ command }) };
    const delta = isCall
      ? {
          content: null,
          tool_calls: [{ index: 0, id: "call_1", type: "function", function: call }],
        }
      : { content: SAID };
    const base = { id: "c1", object: "chat.completion.chunk", created: 1, model };
    const chunk = (inner: object, reason: string | null) => ({
      ...base,
      choices: [{ index: 0, delta: inner, finish_reason: reason }],
    });
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const chunks = [
      chunk({ role: "assistant", ...delta }, null),
      chunk({}, isCall ? "tool_calls" : "stop"),
      { ...base, choices: [], usage },
    ];
    const lines = chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`);
    send(response, "text/event-stream", `${lines.join("")}data: [DONE]\n\n`);
  });
}

function send(response: ServerResponse, type: string, body: string): void {
  response.writeHead(200, { "content-type": type }).end(body);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
