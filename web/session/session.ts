// Owns one visit to a workspace: the socket, its dialects, and the requests that follow from the
// user's actions. Dialects own the meaning of messages. Does not draw.

import { CloseCode } from "../../protocol/codes.ts";
import { SEALED_LINK_PATTERN } from "../../protocol/grant.ts";
import type { BridgeState, Pong, RoomEvent } from "../../protocol/pty.ts";
import type { SpawnBody } from "../../protocol/pty-requests.ts";
import { workspacePath } from "../../protocol/workspace.ts";
import type { Screen } from "./attachment.ts";
import type { SelfPresence } from "./self-presence.ts";
import type { Connection } from "./room-socket.ts";
import type { BrowserStorage } from "./device.ts";
import { getDeviceId } from "./device.ts";
import type { HandlersFor } from "./dialect.ts";
import { openDialects, DialectGroup } from "./dialect.ts";
import { DIALECTS } from "./dialects.ts";
import type { HandlersByMaker, PageRequest } from "./messages.ts";
import { dispatchMessage, dispatchBridgeMessage } from "./messages.ts";
import type { SendRequest } from "./operations.ts";
import { Operations } from "./operations.ts";
import { RoomSocket } from "./room-socket.ts";
import type { SealedTransport } from "./sealed-transport.ts";
import type { Store } from "./store.ts";
import {
  markAllGone,
  findTerminal,
  isCountedRunning,
  putTerminal,
  toTerminalView,
} from "./terminal-list.ts";

/** The part of a session that commands need. */
export type SessionActions = Pick<Session, "store" | "send" | "spawn" | "close" | "link"> &
  Partial<Pick<Session, "newTerminalSize">>;

export class Session {
  readonly store: Store;
  /** Whether everything between this page and the host is sealed. */
  readonly isSealed: boolean;
  /** Sends an HTTP request to a path of the workspace; sealed in a sealed room. */
  readonly request: SendRequest;
  readonly #socket: RoomSocket;
  /** A plain token, or the secret part of a sealed link. */
  readonly #word: string;
  readonly #operations: Operations | undefined;
  /** Undefined in a plain room, and until a sealed link's code is loaded. */
  #sealed: SealedTransport | undefined;
  readonly #dialects: ReturnType<typeof openDialects<PageRequest, typeof DIALECTS>>;
  readonly #dialectGroup: DialectGroup;
  readonly #handlers: HandlersByMaker;
  readonly #isOver = new AbortController();
  /** Terminals that this page opened and has not shown yet. */
  readonly #spawned = new Set<string>();
  /** How often the host has kept this page out. */
  #removals = 0;
  /** True from a request for a terminal to its answer. */
  #isSpawning = false;
  /** The size for a new terminal, set by the panel, which alone can measure it. */
  newTerminalSize: { cols: number; rows: number } | undefined;

  /** Opens a visit by a token or sealed link. `kept` is the browser's storage beyond a tab. */
  constructor(store: Store, word: string, kept?: BrowserStorage) {
    this.store = store;
    this.#word = word;
    this.isSealed = SEALED_LINK_PATTERN.test(word);
    const device = getDeviceId(kept, store.workspace);
    const operations = this.isSealed ? undefined : new Operations(store.workspace, word, device);
    this.#operations = operations;
    this.request =
      operations?.request ??
      (async (path, options) => {
        if (this.#sealed === undefined) throw new TypeError("Not connected");
        return await this.#sealed.request(path, options);
      });
    const send = (message: PageRequest) => this.send(message);
    const sendBytes = (bytes: Uint8Array<ArrayBuffer>) => this.#socket.send(bytes);
    this.#dialects = openDialects(DIALECTS, { store, send, sendBytes, storage: kept });
    this.#dialectGroup = new DialectGroup(Object.values(this.#dialects));
    const room: HandlersFor<RoomEvent> = {
      bridge: (message) => this.#onBridge(message),
      // To the room, and so never sealed.
      "pairpty:ping": ({ n }) =>
        void this.#socket.send(JSON.stringify({ type: "pairpty:pong", n } satisfies Pong)),
    };
    this.#handlers = { room, bridge: this.#dialectGroup.handlers };
    this.#socket = new RoomSocket({
      workspace: store.workspace,
      token: this.isSealed ? async () => await this.#openSealed(device) : word,
      onConnection: (connection) => this.#onConnection(connection),
      onMessage: (data) => {
        if (this.isSealed) return this.#sealed?.line.receive(data);
        if (!(data instanceof ArrayBuffer)) return dispatchMessage(this.#handlers, data);
        const message = this.#dialects.pty.onBinary(data);
        if (message !== undefined) dispatchBridgeMessage(this.#handlers, message);
        return undefined;
      },
    });
  }

  /** Returns this page's own person, as presented to others. */
  get self(): SelfPresence {
    return this.#dialects.room;
  }

  /** Returns this page's own link, with the address that others can open. */
  get link(): string {
    const origin = this.store.address.peek() ?? location.origin;
    return `${origin}${workspacePath(this.store.workspace)}#${this.#word}`;
  }

  /** Returns the last measured round trip to the room. */
  get roundTripMs(): number | undefined {
    return this.#socket.roundTripMs;
  }

  retry(): void {
    this.#socket.retry();
  }

  dispose(): void {
    this.#isOver.abort();
    this.#dialectGroup.dispose();
    this.#socket.dispose();
    this.store.dispose();
  }

  send(request: PageRequest): boolean {
    const text = JSON.stringify(request);
    return this.isSealed ? (this.#sealed?.line.send(text) ?? false) : this.#socket.send(text);
  }

  /** Shows a conversation; returns its end. */
  openConversation(id: string): () => void {
    return this.#dialects.conversation.open(id);
  }

  /** Shows a terminal on a screen, which replaces its previous one; returns its end. */
  attach(id: string, screen: Screen): () => void {
    return this.#dialects.pty.attach(id, screen);
  }

  /** Whether this page opened the terminal; true once. */
  takeSpawned(id: string): boolean {
    return this.#spawned.delete(id);
  }

  /**
   * Resolves to whether there is a new terminal, and shows errors. `place` runs before it is shown.
   * Input that is typed meanwhile waits for it.
   */
  async spawn(request: SpawnBody = {}, place?: (id: string) => void): Promise<boolean> {
    const { store } = this;
    const { isOpening, isHolding } = store.inputHold;
    // A split holds input before its code is loaded; then this call opens its terminal.
    if (this.#isSpawning || (isHolding.peek() && !isOpening.peek())) return false;
    this.#isSpawning = true;
    store.people.following.value = undefined;
    store.inputHold.begin();
    const outcome = await this.#dialects.pty.spawn({ ...this.newTerminalSize, ...request });
    if (outcome.ok) await store.inputHold.onComposed();
    this.#isSpawning = false;
    if (!outcome.ok) {
      store.inputHold.onFailed(outcome.error);
      return false;
    }
    const { id } = outcome.value;
    // The event to everyone may arrive before our answer, so it may be on the screen already.
    const isShown = this.#dialects.pty.isShown(id);
    if (isShown) this.send({ type: "pty:drive", id });
    else this.#spawned.add(id);
    // Events that arrived since are newer than the answer.
    store.updateTerminals((all) => (findTerminal(all, id) ? all : putTerminal(all, outcome.value)));
    place?.(id);
    store.inputHold.onOpened(id);
    if (!store.inputHold.hasLeft) store.views.enter(toTerminalView(id));
    return true;
  }

  /** Ends a running terminal, or removes an ended one from the page. */
  async close(id: string): Promise<void> {
    const terminal = this.store.findTerminal(id);
    if (terminal && !terminal.ended) {
      const outcome = await this.#dialects.pty.close(id);
      // Already closed by another person.
      if (!outcome.ok && outcome.code !== "not_found") return this.store.toast(outcome.error);
    }
    this.store.dismiss(id);
  }

  #onConnection(connection: Connection): void {
    this.store.connection.value = this.#sealed?.toConnection(connection) ?? connection;
    if (connection.state === "live") return this.#sealed?.line.onOpen();
    this.#sealed?.line.onClose();
    if (connection.state === "refused") this.#onRefused(connection.code);
    this.store.isListed.value = false;
    return this.#dialectGroup.onCut();
  }

  /** Returns the relay's ticket, once what sealing needs is loaded. */
  async #openSealed(device: string): Promise<string> {
    const { openSealedTransport } = await import("./sealed-transport.ts");
    this.#sealed ??= await openSealedTransport(this.#word, {
      store: this.store,
      device,
      socket: this.#socket,
      handlers: this.#handlers,
      pty: this.#dialects.pty,
      onHandshake: () => {
        this.store.isListed.value = false;
        this.#dialectGroup.onAway();
      },
    });
    return this.#sealed.ticket;
  }

  #onRefused(code: number): void {
    if (code === CloseCode.unauthorized) this.self.onRefused(this.#word);
    if (code === CloseCode.sentAway) void this.#awaitReadmission();
  }

  /** Waits until this browser may return, and reconnects without a reload. */
  async #awaitReadmission(): Promise<void> {
    const { waitForReadmission } = await import("./readmission.ts");
    // A sealed page asks by connecting, since its device's id is not for the relay.
    const isAway = async () => (await this.#operations?.isRemoved()) === true;
    this.#removals += 1;
    const earlier = this.isSealed ? this.#removals - 1 : 0;
    const deps = { isAway, isOver: this.#isOver.signal, pause, earlier };
    if (await waitForReadmission(deps)) this.retry();
  }

  #onBridge(message: BridgeState): void {
    this.store.bridge.value = message;
    if (message.state === "here") return;
    if (message.how === "ended") this.#onHostEnded();
    this.#dialectGroup.onAway();
  }

  #onHostEnded(): void {
    const { terminals, endedWithHost } = this.store;
    const running = terminals.peek()?.filter(isCountedRunning);
    // The room may report the end again, when all are marked already.
    endedWithHost.value = running?.length === 0 ? (endedWithHost.peek() ?? 0) : running?.length;
    this.store.updateTerminals(markAllGone);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
