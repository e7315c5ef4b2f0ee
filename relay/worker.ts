// Owns the Worker's entry: checks Host and Origin, routes the request, and adds the security
// headers to every answer. Does not know grants or bridges: the room does.

import { CloseCode } from "../protocol/codes.ts";
import { toPayload } from "../protocol/json.ts";
import { MAX_FRAME_PAYLOAD, RAW_SUBPROTOCOL } from "../protocol/limits.ts";
import { getMaxBodyBytes, StreamOpen } from "../protocol/http.ts";
import {
  INTERNAL_ERROR_MESSAGE,
  logFault,
  NO_TOKEN_MESSAGE,
  NO_WORKSPACE_MESSAGE,
  refuse,
  findCloseCode,
  refuseSocket,
} from "./edge/error-responses.ts";
import { BODY_TIMEOUT_MESSAGE, readBody } from "./edge/request-body.ts";
import { isNewRoom } from "./edge/room-files.ts";
import { buildRoomRequest } from "./edge/room-request.ts";
import { openBridgeSocket } from "./edge/bridge-socket.ts";
import { openRefusedSocket } from "./edge/closed-socket.ts";
import { filterForBridge, preflight, withSecurityHeaders } from "./edge/headers.ts";
import { KnownTokens } from "./edge/known-tokens.ts";
import { isMcpPath, refuseLogin, withLoginHint } from "./edge/login.ts";
import { judgeOrigin, parseAllowedOrigins } from "./edge/origin.ts";
import { serveAsset, servePage } from "./edge/page.ts";
import { route } from "./edge/route.ts";
import type { Ticket } from "./edge/token.ts";
import {
  AGENT_SUBPROTOCOLS,
  PEER_SUBPROTOCOLS,
  selectSubprotocol,
  findToken,
  containsToken,
  listSubprotocols,
  readTicket,
} from "./edge/token.ts";
import type { Env } from "./env.ts";
import type { WorkspaceRoom } from "./room/room.ts";

export { ClosedSocket } from "./edge/closed-socket.ts";
export { WorkspaceRoom } from "./room/room.ts";

/** One per isolate; a self-hosted relay has a single isolate. */
const knownTokens = new KnownTokens(0);
const BUSY_MESSAGE = "Too many unknown clients are asking for workspaces. Try again.";

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);

export default {
  async fetch(request, env, ctx): Promise<Response> {
    try {
      const rules = {
        loopbackPort: env.LOOPBACK_PORT,
        tunnelHost: env.TUNNEL_HOST,
        allowed: parseAllowedOrigins(env.ALLOWED_ORIGINS),
      };
      const { headers } = request;
      const verdict = judgeOrigin(rules, headers.get("host"), headers.get("origin"));
      if (!verdict.ok) {
        await readBody(request);
        return withSecurityHeaders(refuse("wrong_origin", verdict.error));
      }
      if (request.method === "OPTIONS" && verdict.cors !== undefined)
        return preflight(verdict.cors);
      const response = await handleRequest(request, env, ctx);
      return response.webSocket ? response : withSecurityHeaders(response, verdict.cors);
    } catch (error) {
      logFault("worker", error);
      return withSecurityHeaders(refuse("internal", INTERNAL_ERROR_MESSAGE));
    }
  },
} satisfies ExportedHandler<Env>;

async function handleRequest(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
  const url = new URL(request.url);
  if (containsToken(url.search)) {
    return refuse("bad_request", "Send the token in the Authorization header, not in a URL.");
  }
  const target = route(url.pathname);
  switch (target.to) {
    case "page":
      return servePage(env, request);
    case "asset":
      return serveAsset(env, request, url.pathname);
    case "peer":
    case "acp":
    case "bridge":
      return openSocket(request, env, ctx, target);
    case "health":
      // Without a token the answer must not reveal whether the workspace exists.
      if (findToken(request.headers) === undefined) {
        return Response.json({ relay: "ok", now: Date.now() });
      }
      return tunnel(request, env, target.workspace, `/health${url.search}`);
    case "tunnel": {
      const response = await tunnel(request, env, target.workspace, target.path + url.search);
      return isMcpPath(target.path) ? await withLoginHint(response) : response;
    }
    case "login":
      await readBody(request);
      return refuseLogin();
    case "nowhere":
      return refuse("not_found", "There is nothing at this address.");
    default:
      return target satisfies never;
  }
}

async function openSocket(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  target: { readonly to: "peer" | "acp" | "bridge"; readonly workspace: string },
): Promise<Response> {
  if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
    return refuse("upgrade_required", "This address takes WebSocket connections only.");
  }
  const offered = listSubprotocols(request.headers);
  const selected = selectSubprotocol(
    offered,
    target.to === "acp" ? AGENT_SUBPROTOCOLS : PEER_SUBPROTOCOLS,
  );
  if (offered.length > 0 && selected === undefined) {
    const names = (target.to === "acp" ? AGENT_SUBPROTOCOLS : PEER_SUBPROTOCOLS).join(" or ");
    return refuse("bad_request", `None of the subprotocols offered is ${names}.`);
  }
  const response =
    target.to === "bridge"
      ? await connectBridge(env, ctx, request.headers, target.workspace)
      : await connectPeer(
          env,
          request.headers,
          target.to,
          target.workspace,
          selected === RAW_SUBPROTOCOL,
        );
  const isClosed = target.to !== "bridge" && findCloseCode(response) !== undefined;
  const webSocket =
    response.webSocket ?? (isClosed ? await openRefusedSocket(ctx, response) : undefined);
  if (webSocket === undefined) return response;
  // Clients hang up on a 101 that selects none of their subprotocols; selecting the token's would
  // reveal it.
  const headers = new Headers(selected ? { "sec-websocket-protocol": selected } : {});
  return new Response(null, { status: 101, webSocket, headers });
}

async function connectPeer(
  env: Env,
  headers: Headers,
  door: "peer" | "acp",
  workspace: string,
  raw: boolean,
): Promise<Response> {
  const ticket = await readTicket(headers);
  if (ticket === undefined) {
    return refuseSocket(CloseCode.unauthorized, "unauthorized", NO_TOKEN_MESSAGE);
  }
  const info = { door, workspace, host: headers.get("host") ?? "", ticket, raw };
  return fetchFromRoom(env, workspace, ticket, () => buildRoomRequest(info));
}

async function connectBridge(
  env: Env,
  ctx: ExecutionContext,
  headers: Headers,
  workspace: string,
): Promise<Response> {
  const isOverLimit =
    !knownTokens.allowsRequest(workspace, undefined, Date.now()) ||
    ((await isNewRoom(env, workspace)) && !knownTokens.allowsNewRoom(Date.now()));
  if (isOverLimit) return refuse("too_many", BUSY_MESSAGE);
  return openBridgeSocket(ctx, getRoom(env, workspace), workspace, headers);
}

/** Sends a request with a ticket to its room, within the rate limit for unknown clients. */
async function fetchFromRoom(
  env: Env,
  workspace: string,
  { hash }: Ticket,
  info: () => Request,
): Promise<Response> {
  if (!knownTokens.allowsRequest(workspace, hash, Date.now()))
    return refuse("too_many", BUSY_MESSAGE);
  // Checked here, because waking the room would already create its file, claimed or not.
  if (await isNewRoom(env, workspace)) {
    return refuseSocket(CloseCode.noSuchWorkspace, "not_found", NO_WORKSPACE_MESSAGE);
  }
  return knownTokens.recordAnswer(workspace, hash, await getRoom(env, workspace).fetch(info()));
}

async function tunnel(
  request: Request,
  env: Env,
  workspace: string,
  path: string,
): Promise<Response> {
  const { method, signal } = request;
  if (request.headers.has("upgrade")) {
    return refuse("not_found", "There is no WebSocket at this address.");
  }
  if (!METHODS.has(method))
    return refuse("method_not_allowed", `This address does not take ${method}.`);
  const maxBytes = getMaxBodyBytes(path);
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) {
    return refuse("too_large", `The body may be at most ${maxBytes} bytes.`);
  }
  const [ticket, body] = await Promise.all([readTicket(request.headers), readBody(request)]);
  if (ticket === undefined) return refuse("unauthorized", NO_TOKEN_MESSAGE);
  if (body === "late") return refuse("bad_request", BODY_TIMEOUT_MESSAGE);
  const headers = filterForBridge(request.headers);
  const { grant, token } = ticket;
  const head = { method, path, headers, grant, ticket: token, at: Date.now() };
  if (!StreamOpen.safeParse(head).success || toPayload(head).length > MAX_FRAME_PAYLOAD) {
    return refuse("bad_request", "The address or the headers are too long.");
  }
  const host = request.headers.get("host") ?? "";
  const info = { door: "http", workspace, host, ticket, path } as const;
  const carried = { method, headers, body, signal };
  return fetchFromRoom(env, workspace, ticket, () => buildRoomRequest(info, carried));
}

function getRoom(env: Env, workspace: string): DurableObjectStub<WorkspaceRoom> {
  return env.WORKSPACE.get(env.WORKSPACE.idFromName(workspace));
}
