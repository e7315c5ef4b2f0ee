// Owns rejecting a request whose JSON-RPC id belongs to another open request of the session. The
// SDK finds an answer's stream by that id, and would never answer one of the two.

import type { HandleRequestOptions, JSONRPCMessage, RequestId } from "@modelcontextprotocol/server";
import {
  INVALID_REQUEST,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { parseJson } from "../../../protocol/json.ts";

const CancelNotification = z.object({
  method: z.literal("notifications/cancelled"),
  params: z.object({ requestId: z.union([z.string(), z.number()]) }),
});

export class SessionTransport extends WebStandardStreamableHTTPServerTransport {
  readonly #openIds = new Set<RequestId>();

  override async handleRequest(
    request: Request,
    options?: HandleRequestOptions,
  ): Promise<Response> {
    if (request.method !== "POST") return await super.handleRequest(request, options);
    const body = parseJson(await request.clone().text());
    const messages = body.ok ? [body.value].flat() : [];
    const ids = messages.filter((one) => isJSONRPCRequest(one)).map(({ id }) => id);
    const duplicate = ids.find((id, at) => this.#openIds.has(id) || ids.indexOf(id) < at);
    if (duplicate !== undefined) return toDuplicateIdError(duplicate);
    for (const id of ids) this.#openIds.add(id);
    const response = await super.handleRequest(request, options);
    // Only a streaming answer keeps its ids open.
    if (response.status !== 200) for (const id of ids) this.#openIds.delete(id);
    for (const message of messages) this.#onCancelled(message);
    return response;
  }

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }) {
    try {
      await super.send(message, options);
    } finally {
      const isAnswer = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
      if (isAnswer && message.id !== undefined) this.#openIds.delete(message.id);
    }
  }

  /** Closes the stream of a cancelled request: the SDK sends no answer and would leave it open. */
  #onCancelled(message: unknown): void {
    if (!isJSONRPCNotification(message)) return;
    const { data } = CancelNotification.safeParse(message);
    if (data === undefined) return;
    this.closeSSEStream(data.params.requestId);
    this.#openIds.delete(data.params.requestId);
  }
}

function toDuplicateIdError(id: RequestId): Response {
  const message = `A request with the id ${JSON.stringify(id)} is already open in this session; use a new id`;
  const error = { code: INVALID_REQUEST, message };
  return Response.json({ jsonrpc: "2.0", id, error }, { status: 400 });
}
