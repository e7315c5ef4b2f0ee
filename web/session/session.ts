// Owns one visit to a workspace: routes what the room says to the store and to the open screens,
// and turns what the user does into requests. Does not draw.

import { CloseCode } from "../../protocol/codes.ts";
import type {
  BridgeState,
  Pong,
  PtyAttached,
  PtyError,
  PtyExit,
  PtyRecording,
  PtyTerminals,
  SpawnRequest,
} from "../../protocol/pty.ts";
import { handedOver, recordingSaid, toText as nameText } from "./names.ts";
import { encodeAcks, PROOF_CHANNEL } from "../../protocol/raw.ts";
import type { TerminalEvent } from "../../protocol/terminal.ts";
import { toText } from "../../protocol/text.ts";
import { workspacePath } from "../../protocol/workspace.ts";
import { Acks } from "./acks.ts";
import type { Screen } from "./attachment.ts";
import { Attachment } from "./attachment.ts";
import { Being } from "./being.ts";
import type { Connection } from "./connection.ts";
import type { Keeping } from "./device.ts";
import { deviceIn } from "./device.ts";
import { Dialogues } from "./dialogues.ts";
import type { Handlers, PageRequest } from "./messages.ts";
import { deliver, readBinary } from "./messages.ts";
import { Operations } from "./operations.ts";
import { RoomSocket } from "./room-socket.ts";
import type { Store } from "./store.ts";
import {
  allGone,
  closed,
  endedBy,
  exited,
  find,
  known,
  listed,
  ran,
  retitled,
  viewOf,
} from "./terminals.ts";

/** What commands need of a session. */
export type Acting = Pick<Session, "store" | "send" | "spawn" | "close" | "link"> &
  Partial<Pick<Session, "room">>;

export class Session {
  readonly store: Store;
  readonly #socket: RoomSocket;
  readonly #token: string;
  readonly #operations: Operations;
  readonly #attachments = new Map<string, Attachment>();
  /** By the channel that they were last told; only what still says so itself counts. */
  readonly #channels = new Map<number, Attachment>();
  readonly #acks = new Acks({
    send: (rendered, proof) => this.#ack(rendered, proof),
    eager: isLoopback(location.hostname),
    watches: (id) => this.store.drivers.peek().get(id)?.who === "other",
  });
  readonly #dialogues: Dialogues;
  /** Who this page's person is to the others. */
  readonly being: Being;
  readonly #handlers: Handlers;
  readonly #isOver = new AbortController();
  /** Terminals that this page opened and has not shown yet. */
  readonly #spawned = new Set<string>();
  /** What a new terminal should fit; set by the panel, which alone can measure. */
  room: { cols: number; rows: number } | undefined;

  /** `kept`: what this browser keeps beyond a tab. */
  constructor(store: Store, token: string, kept?: Keeping) {
    this.store = store;
    this.#token = token;
    const device = deviceIn(kept, store.workspace);
    this.#operations = new Operations(store.workspace, token, device);
    this.#dialogues = new Dialogues({
      conversations: store.conversations,
      views: store.views,
      isListed: () => store.listed.peek(),
      send: (message) => this.send(message),
      toast: (text) => store.toast(text),
    });
    this.being = new Being(store, (message) => this.send(message), kept);
    this.#handlers = {
      ...this.#ownHandlers(),
      ...this.#dialogues.handlers,
      ...this.being.handlers,
    };
    this.#socket = new RoomSocket({
      workspace: store.workspace,
      token,
      onConnection: (connection) => this.#onConnection(connection),
      onMessage: (data) => {
        if (data instanceof ArrayBuffer) return this.#onBinary(data);
        return deliver(this.#handlers, data);
      },
    });
  }

  /** This page's own link, by the address that others can open. */
  get link(): string {
    const origin = this.store.address.peek() ?? location.origin;
    return `${origin}${workspacePath(this.store.workspace)}#${this.#token}`;
  }

  /** What a message takes to the room and back, as last measured. */
  get roundTripMs(): number | undefined {
    return this.#socket.roundTripMs;
  }

  retry(): void {
    this.#socket.retry();
  }

  dispose(): void {
    this.#isOver.abort();
    this.being.dispose();
    this.#acks.dispose();
    this.#socket.dispose();
    this.store.dispose();
  }

  send(request: PageRequest): boolean {
    return this.#socket.send(JSON.stringify(request));
  }

  /** How a path of the workspace is asked for over HTTP, as this page. */
  way(path: string): ReturnType<Operations["way"]> {
    return this.#operations.way(path);
  }

  /** Shows a conversation from here on; returns its end. */
  converse(id: string): () => void {
    return this.#dialogues.open(id);
  }

  /** One screen at a time: a terminal in a conversation gives way to its own tab. */
  attach(id: string, screen: Screen): () => void {
    this.#attachments.get(id)?.dispose();
    const attachment = new Attachment(id, screen, this.#acks, (request) => this.send(request));
    this.#attachments.set(id, attachment);
    if (this.store.listed.peek()) attachment.onBridge();
    return () => {
      if (this.#attachments.get(id) !== attachment) return;
      this.#attachments.delete(id);
      attachment.dispose();
    };
  }

  /** Whether this page opened it; true once. */
  takeSpawned(id: string): boolean {
    return this.#spawned.delete(id);
  }

  /** Whether there is a new terminal now; what went wrong is said. `place`: before it is shown. */
  async spawn(request: SpawnRequest = {}, place?: (id: string) => void): Promise<boolean> {
    const { store } = this;
    if (store.spawning.peek()) return false;
    store.spawning.value = true;
    const outcome = await this.#operations.spawn({ ...this.room, ...request });
    store.spawning.value = false;
    if (!outcome.ok) {
      store.toast(outcome.error);
      return false;
    }
    const { id } = outcome.value;
    // Told to everybody before it was answered to us, it may be on the screen already.
    const isShown = this.#attachments.get(id)?.channel !== undefined;
    if (isShown) this.send({ type: "pty:drive", id });
    else this.#spawned.add(id);
    // What everybody was told since is newer than the answer.
    store.change((all) => (find(all, id) ? all : known(all, outcome.value)));
    place?.(id);
    store.views.enter(viewOf(id));
    return true;
  }

  /** Ends a running terminal, or takes an ended one off the page. */
  async close(id: string): Promise<void> {
    const terminal = this.store.terminal(id);
    if (terminal && !terminal.ended) {
      const outcome = await this.#operations.close(id);
      // Somebody was quicker: it is as we wanted it.
      if (!outcome.ok && outcome.status !== 404) return this.store.toast(outcome.error);
    }
    this.store.dismiss(id);
  }

  #ownHandlers(): Omit<Handlers, keyof Dialogues["handlers"] | keyof Being["handlers"]> {
    return {
      "pty:attached": (message) => this.#onAttached(message),
      // Of the plain rendition, which this page does not speak.
      "pty:output": () => undefined,
      "pty:resized": (message) => this.#attachments.get(message.id)?.onResized(message),
      "pty:exit": (message) => this.#onExit(message),
      "pty:terminals": (message) => this.#onTerminals(message),
      "pty:driver": (message) => this.store.onDriver(message),
      "pty:asked": (message) => this.store.onAsked(message),
      "pty:foreground": (message) => this.store.onForeground(message),
      "pty:recording": (message) => this.#onRecording(message),
      "pty:titled": ({ id, title }) => this.store.change((all) => retitled(all, id, title)),
      "pty:running": ({ running }) => this.store.change((all) => ran(all, running)),
      "pty:error": (message) => this.#onError(message),
      "pairpty:ping": ({ n }) =>
        void this.#socket.send(JSON.stringify({ type: "pairpty:pong", n } satisfies Pong)),
      bridge: (message) => this.#onBridge(message),
      terminal: (message) => this.#onEvent(message),
      "audit:entries": (message) => this.store.timeline.peek()?.onEntries(message),
      "audit:entry": ({ entry }) => this.store.timeline.peek()?.onEntry(entry),
      "audit:skipped": ({ count }) => this.store.timeline.peek()?.onSkipped(count),
      "audit:error": ({ error }) => this.store.timeline.peek()?.onError(error),
      "approval:open": (message) => this.store.approvals.onOpen(message),
      "approval:requested": (message) => this.store.approvals.onRequested(message),
      "approval:settled": (message) => this.store.approvals.onSettled(message),
      "approval:error": (message) => this.store.approvals.onError(message),
    };
  }

  #onConnection(connection: Connection): void {
    this.store.connection.value = connection;
    if (connection.state === "live") return;
    if (connection.state === "refused") this.#onRefused(connection.code);
    this.store.listed.value = false;
    this.being.onAway();
    this.store.approvals.onAway();
    this.#dialogues.onAway();
    this.store.forgetDrivers();
    this.#channels.clear();
    for (const attachment of this.#attachments.values()) attachment.onCut();
  }

  #onRefused(code: number): void {
    if (code === CloseCode.unauthorized) this.being.onRefused(this.#token);
    if (code === CloseCode.sentAway) void this.#comeBack();
  }

  /** Somebody may let this browser come again: then it does, without a reload. */
  async #comeBack(): Promise<void> {
    const { untilPardoned } = await import("./returning.ts");
    const isAway = () => this.#operations.isAway();
    if (await untilPardoned({ isAway, isOver: this.#isOver.signal, pause })) this.retry();
  }

  #onBridge(message: BridgeState): void {
    this.store.bridge.value = message;
    if (message.state === "here") return;
    if (message.how === "ended") this.store.change(allGone);
    this.store.approvals.onAway();
    this.#dialogues.onAway();
  }

  /** Bytes of a terminal, an event in their order, or the room's question. */
  #onBinary(data: ArrayBuffer): void {
    const read = readBinary(data);
    if (read?.is === "proof") return this.#acks.prove(read.n);
    const attachment = read && this.#channels.get(read.channel);
    if (!read || !attachment || attachment.channel !== read.channel) return undefined;
    const { output } = read;
    if (output.span > 0) {
      this.store.views.mark(viewOf(attachment.id));
      return attachment.onOutput(output);
    }
    return deliver(this.#handlers, toText(output.body));
  }

  #onAttached(message: PtyAttached): void {
    const attachment = this.#attachments.get(message.id);
    if (!attachment) return;
    if (message.channel !== undefined) this.#channels.set(message.channel, attachment);
    attachment.onAttached(message);
  }

  #ack(rendered: ReadonlyMap<string, number>, proof: number | undefined): void {
    const acks = proof === undefined ? [] : [{ channel: PROOF_CHANNEL, offset: proof }];
    for (const [id, offset] of rendered) {
      const channel = this.#attachments.get(id)?.channel;
      if (channel !== undefined) acks.push({ channel, offset });
    }
    if (acks.length > 0) this.#socket.send(encodeAcks(0, acks));
  }

  #isOpened = (id: string): boolean => this.store.views.isOpened(viewOf(id));

  #onExit({ id, exitCode, signal }: PtyExit): void {
    this.store.change((all) => exited(all, id, { exitCode, signal }));
    this.#attachments.get(id)?.onExit();
  }

  #onError({ id, code, error }: PtyError): void {
    // Attaching again to what ended long ago: the tab says so already.
    if (code === "not_found" && id !== undefined) {
      this.#attachments.get(id)?.onMissing();
      return this.store.change((all) => exited(all, id, "gone"));
    }
    return this.store.toast(error);
  }

  #onTerminals({ role, terminals, you }: PtyTerminals): void {
    const { store } = this;
    store.you.value = you;
    store.listed.value = true;
    store.role.value = role;
    store.change((all) => listed(all, terminals, this.#isOpened));
    store.conversations.waitNoLonger();
    for (const attachment of this.#attachments.values()) attachment.onBridge();
  }

  #onRecording(message: PtyRecording): void {
    const { store } = this;
    const said = recordingSaid(message, nameText(store.names.peek().get(message.id)));
    if (said !== undefined) store.toast(said);
  }

  #onEvent(told: TerminalEvent): void {
    const { store } = this;
    const { event, terminal } = told;
    switch (event) {
      case "promoted":
        store.change((all) => known(all, terminal));
        return store.toast(handedOver(terminal, store.names.peek().get(terminal.id)));
      case "created":
      case "changed":
        return store.change((all) => known(all, terminal));
      case "closed":
        return store.change((all) => closed(all, terminal, endedBy(told), this.#isOpened));
      case "output":
        return store.views.mark(viewOf(terminal.id));
      default:
        return event satisfies never;
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Messages to a relay on this machine cost nothing. */
function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}
