// Owns the least possible room: a Durable Object that hands messages between one host and its
// viewers, verbatim, by the hibernation API. No auth, no acks, no offsets: what the product is
// compared with. The few types it needs stand here, since the rest of bench/ is Node's.

interface State {
  acceptWebSocket(socket: WebSocket, tags: string[]): void;
  getWebSockets(tag: string): WebSocket[];
  getTags(socket: WebSocket): string[];
}

interface Namespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(request: Request): Promise<Response> };
}

declare const WebSocketPair: new () => { 0: WebSocket; 1: WebSocket & { accept(): void } };

const OTHER: Readonly<Record<string, string>> = { host: "viewer", viewer: "host" };

export class BareRoom {
  readonly #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  fetch(request: Request): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    const role = new URL(request.url).pathname.slice(1);
    this.#state.acceptWebSocket(server, [role]);
    const init: ResponseInit & { webSocket: WebSocket } = { status: 101, webSocket: client };
    return new Response(null, init);
  }

  webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    const [role = ""] = this.#state.getTags(socket);
    for (const other of this.#state.getWebSockets(OTHER[role] ?? "")) other.send(message);
  }

  webSocketClose(socket: WebSocket): void {
    socket.close(1000);
  }
}

export default {
  fetch(request: Request, env: { ROOM: Namespace }): Promise<Response> {
    return env.ROOM.get(env.ROOM.idFromName("bare")).fetch(request);
  },
};
