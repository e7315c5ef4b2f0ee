// Owns the Worker's entry: checks Host and Origin, routes the request, and adds the security
// headers to every answer. Does not know grants or bridges: the room does.

import { CloseCode } from "../protocol/codes.ts";
import { toPayload } from "../protocol/json.ts";
import { MAX_FRAME_PAYLOAD } from "../protocol/limits.ts";
import { mostBodyBytes, StreamOpen } from "../protocol/http.ts";
import { RAW_SUBPROTOCOL } from "../protocol/version.ts";
import {
  FAULT_SENTENCE,
  logFault,
  NO_TOKEN_SENTENCE,
  NO_WORKSPACE_SENTENCE,
  refuse,
} from "./edge/answers.ts";
import { LATE_BODY_SENTENCE, takeBody } from "./edge/body.ts";
import { bridgeSocket } from "./edge/bridge-socket.ts";
import { closedSocket } from "./edge/closed-socket.ts";
import { forBridge, preflight, secured } from "./edge/headers.ts";
import { Familiar } from "./edge/familiar.ts";
import { isMcpPath, refuseLogin, withLoginHint } from "./edge/login.ts";
import { judgeOrigin, parseAllowed } from "./edge/origin.ts";
import { serveAsset, servePage } from "./edge/page.ts";
import { closeOf, refuseSocket } from "./edge/refused-socket.ts";
import { roomRequest } from "./edge/room-request.ts";
import { route } from "./edge/route.ts";
import { AGENTS, SPOKEN, selectSubprotocol } from "./edge/subprotocol.ts";
import { isNewRoom } from "./edge/room-files.ts";
import type { Ticket } from "./edge/token.ts";
import { findToken, holdsToken, subprotocols, takeTicket } from "./edge/token.ts";
import type { Env } from "./env.ts";
import type { WorkspaceRoom } from "./room/room.ts";

export { ClosedSocket } from "./edge/closed-socket.ts";
export { WorkspaceRoom } from "./room/room.ts";

/** One per isolate; a self-hosted relay has a single isolate. */
const familiar = new Familiar(0);
const BUSY_SENTENCE = "Too many unknown clients are asking for workspaces. Try again.";

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);

export default {
  async fetch(request, env, ctx): Promise<Response> {
    try {
      const rules = {
        loopbackPort: env.LOOPBACK_PORT,
        tunnelHost: env.TUNNEL_HOST,
        allowed: parseAllowed(env.ALLOWED_ORIGINS),
      };
      const { headers } = request;
      const verdict = judgeOrigin(rules, headers.get("host"), headers.get("origin"));
      if (!verdict.ok) {
        await takeBody(request);
        return secured(refuse("wrong_origin", verdict.error));
      }
      if (request.method === "OPTIONS" && verdict.cors !== undefined)
        return preflight(verdict.cors);
      const response = await answer(request, env, ctx);
      return response.webSocket ? response : secured(response, verdict.cors);
    } catch (error) {
      logFault("worker", error);
      return secured(refuse("internal", FAULT_SENTENCE));
    }
  },
} satisfies ExportedHandler<Env>;

async function answer(request: Request, env: Env, ctx: ExecutionContext): Promise<Response> {
  const url = new URL(request.url);
  if (holdsToken(url.search)) {
    return refuse("bad_request", "Send the token in the Authorization header, not in a URL.");
  }
  const way = route(url.pathname);
  switch (way.to) {
    case "page":
      return servePage(env, request);
    case "asset":
      return serveAsset(env, request, url.pathname);
    case "peer":
    case "acp":
    case "bridge":
      return openSocket(request, env, ctx, way);
    case "health":
      // Without a token the answer must not reveal whether the workspace exists.
      if (findToken(request.headers) === undefined) {
        return Response.json({ relay: "ok", now: Date.now() });
      }
      return tunnel(request, env, way.workspace, `/health${url.search}`);
    case "tunnel": {
      const response = await tunnel(request, env, way.workspace, way.path + url.search);
      return isMcpPath(way.path) ? await withLoginHint(response) : response;
    }
    case "login":
      await takeBody(request);
      return refuseLogin();
    case "nowhere":
      return refuse("not_found", "There is nothing at this address.");
    default:
      return way satisfies never;
  }
}

async function openSocket(
  request: Request,
  env: Env,
  ctx: ExecutionContext,
  way: { readonly to: "peer" | "acp" | "bridge"; readonly workspace: string },
): Promise<Response> {
  if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
    return refuse("upgrade_required", "This address takes WebSocket connections only.");
  }
  const offered = subprotocols(request.headers);
  const selected = selectSubprotocol(offered, way.to === "acp" ? AGENTS : SPOKEN);
  if (offered.length > 0 && selected === undefined) {
    const names = (way.to === "acp" ? AGENTS : SPOKEN).join(" or ");
    return refuse("bad_request", `None of the subprotocols offered is ${names}.`);
  }
  const response =
    way.to === "bridge"
      ? await askForBridge(env, ctx, request.headers, way.workspace)
      : await peerSocket(env, request.headers, way.to, way.workspace, selected === RAW_SUBPROTOCOL);
  const isClosed = way.to !== "bridge" && closeOf(response) !== undefined;
  const webSocket =
    response.webSocket ?? (isClosed ? await closedSocket(ctx, response) : undefined);
  if (webSocket === undefined) return response;
  // Clients hang up on a 101 that selects none of their subprotocols; selecting the token's would
  // reveal it.
  const headers = new Headers(selected ? { "sec-websocket-protocol": selected } : {});
  return new Response(null, { status: 101, webSocket, headers });
}

async function peerSocket(
  env: Env,
  headers: Headers,
  door: "peer" | "acp",
  workspace: string,
  raw: boolean,
): Promise<Response> {
  const ticket = await takeTicket(headers);
  if (ticket === undefined) {
    return refuseSocket(CloseCode.unauthorized, "unauthorized", NO_TOKEN_SENTENCE);
  }
  const asked = { door, workspace, host: headers.get("host") ?? "", ticket, raw };
  return askFor(env, workspace, ticket, () => roomRequest(asked));
}

async function askForBridge(
  env: Env,
  ctx: ExecutionContext,
  headers: Headers,
  workspace: string,
): Promise<Response> {
  const isMuch =
    !familiar.mayAsk(workspace, undefined, Date.now()) ||
    ((await isNewRoom(env, workspace)) && !familiar.mayWake(Date.now()));
  if (isMuch) return refuse("too_many", BUSY_SENTENCE);
  return bridgeSocket(ctx, room(env, workspace), workspace, headers);
}

/** Sends a request with a ticket to its room, within the rate limit for unknown clients. */
async function askFor(
  env: Env,
  workspace: string,
  { hash }: Ticket,
  asked: () => Request,
): Promise<Response> {
  if (!familiar.mayAsk(workspace, hash, Date.now())) return refuse("too_many", BUSY_SENTENCE);
  // Checked here, because waking the room would already create its file, claimed or not.
  if (await isNewRoom(env, workspace)) {
    return refuseSocket(CloseCode.noSuchWorkspace, "not_found", NO_WORKSPACE_SENTENCE);
  }
  return familiar.heard(workspace, hash, await room(env, workspace).fetch(asked()));
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
  const most = mostBodyBytes(path);
  if (Number(request.headers.get("content-length") ?? 0) > most) {
    return refuse("too_large", `The body may be at most ${most} bytes.`);
  }
  const [ticket, body] = await Promise.all([takeTicket(request.headers), takeBody(request)]);
  if (ticket === undefined) return refuse("unauthorized", NO_TOKEN_SENTENCE);
  if (body === "late") return refuse("bad_request", LATE_BODY_SENTENCE);
  const headers = forBridge(request.headers);
  const head = { method, path, headers, grant: ticket.grant, at: Date.now() };
  if (!StreamOpen.safeParse(head).success || toPayload(head).length > MAX_FRAME_PAYLOAD) {
    return refuse("bad_request", "The address or the headers are too long.");
  }
  const host = request.headers.get("host") ?? "";
  const asked = { door: "http", workspace, host, ticket, path } as const;
  const carried = { method, headers, body, signal };
  return askFor(env, workspace, ticket, () => roomRequest(asked, carried));
}

function room(env: Env, workspace: string): DurableObjectStub<WorkspaceRoom> {
  return env.WORKSPACE.get(env.WORKSPACE.idFromName(workspace));
}
