// Owns one visit to a workspace: routes what the room says to the store and to the open screens,
// and turns what the user does into requests. Does not draw.

import type {
  BridgeState,
  Pong,
  PtyAttached,
  PtyError,
  PtyExit,
  PtyTerminals,
  SpawnRequest,
} from "../../protocol/pty.ts";
import { encodeAcks, PROOF_CHANNEL } from "../../protocol/raw.ts";
import type { TerminalEvent } from "../../protocol/terminal.ts";
import { toText } from "../../protocol/text.ts";
import { effect } from "@preact/signals";
import type { RoomYou } from "../../protocol/room.ts";
import { Acks } from "./acks.ts";
import type { Screen } from "./attachment.ts";
import { Attachment } from "./attachment.ts";
import type { Connection } from "./connection.ts";
import type { Handlers, PageRequest } from "./messages.ts";
import { deliver, readBinary } from "./messages.ts";
import type { Keeping } from "./device.ts";
import {
  deviceIn,
  forgetToken,
  keepName,
  keptName,
  rememberedToken,
  rememberToken,
} from "./device.ts";
import { Operations } from "./operations.ts";
import { RoomSocket } from "./room-socket.ts";
import type { Store } from "./store.ts";
import { closed, exited, find, known, listed, retitled, viewOf } from "./terminals.ts";

/** What commands need of a session. */
export type Acting = Pick<Session, "store" | "send" | "spawn" | "close">;

/** What a browser keeps beyond a tab, and for how many. */
export interface SessionOptions {
  readonly kept?: Keeping;
}

export class Session {
  readonly store: Store;
  readonly #socket: RoomSocket;
  readonly #operations: Operations;
  readonly #attachments = new Map<string, Attachment>();
  /** By the channel that they were last told; only what still says so itself counts. */
  readonly #channels = new Map<number, Attachment>();
  readonly #acks = new Acks({
    send: (rendered, proof) => this.#ack(rendered, proof),
    eager: isLoopback(location.hostname),
    watches: (id) => this.store.drivers.peek().get(id)?.who === "other",
  });
  readonly #handlers: Handlers = {
    "pty:attached": (message) => this.#onAttached(message),
    // Of the plain rendition, which this page does not speak.
    "pty:output": () => undefined,
    "pty:resized": (message) => this.#attachments.get(message.id)?.onResized(message),
    "pty:exit": (message) => this.#onExit(message),
    "pty:terminals": (message) => this.#onTerminals(message),
    "pty:driver": (message) => this.store.onDriver(message),
    "pty:asked": (message) => this.store.onAsked(message),
    "pty:foreground": (message) => this.store.onForeground(message),
    "pty:titled": ({ id, title }) => this.store.change((all) => retitled(all, id, title)),
    "pty:error": (message) => this.#onError(message),
    "pairpty:ping": ({ n }) =>
      void this.#socket.send(JSON.stringify({ type: "pairpty:pong", n } satisfies Pong)),
    bridge: (message) => this.#onBridge(message),
    terminal: (message) => this.#onEvent(message),
    "approval:open": (message) => this.store.approvals.onOpen(message),
    "approval:requested": (message) => this.store.approvals.onRequested(message),
    "approval:settled": (message) => this.store.approvals.onSettled(message),
    "approval:error": (message) => this.store.approvals.onError(message),
    "room:welcome": () => this.#onWelcome(false),
    "room:waiting": () => this.#onWelcome(true),
    "room:you": (message) => this.#onYou(message),
    "room:people": (message) => this.store.people.onPeople(message),
    "room:knocks": ({ knocks }) => void (this.store.people.knocks.value = knocks),
    "room:away": (message) => this.store.people.onAway(message),
    "room:shared": (message) => this.store.people.onShared(message),
    "room:links": ({ links }) => void (this.store.people.links.value = links),
    "room:remembered": ({ token }) => this.#onRemembered(token),
    "room:error": ({ error }) => this.store.toast(error),
  };
  /** Terminals that this page opened and has not shown yet. */
  readonly #spawned = new Set<string>();
  readonly #kept: Keeping;
  readonly #device: string;
  /** The room has said that we are in. */
  #isWelcome = false;
  /** What the room was last told that this page shows. */
  #looking: string | null | undefined;
  readonly #unwatch: () => void;
  /** What a new terminal should fit; set by the panel, which alone can measure. */
  room: { cols: number; rows: number } | undefined;

  constructor(store: Store, token: string, { kept }: SessionOptions = {}) {
    this.store = store;
    this.#kept = kept;
    this.#device = deviceIn(kept, store.workspace);
    this.#operations = new Operations(store.workspace, token, this.#device);
    this.#socket = new RoomSocket({
      workspace: store.workspace,
      token,
      onConnection: (connection) => this.#onConnection(connection),
      onMessage: (data) => {
        if (data instanceof ArrayBuffer) return this.#onBinary(data);
        return deliver(this.#handlers, data);
      },
    });
    document.addEventListener("visibilitychange", this.#look);
    this.#unwatch = effect(() => {
      void store.views.current.value;
      this.#look();
    });
  }

  /** What others call this person: kept for the next visit, "" for none. */
  name(name: string): void {
    keepName(this.#kept, name);
    this.send({ type: "room:name", name });
  }

  /** Undefined until somebody was asked. */
  get keptName(): string | undefined {
    return keptName(this.#kept);
  }

  /** Says once more who this is; for somebody at the door. */
  hello(): void {
    const name = this.keptName;
    this.send({ type: "room:hello", device: this.#device, ...(name ? { name } : {}) });
  }

  /** Whether a link of this browser's own is kept here. */
  get isRemembered(): boolean {
    return rememberedToken(this.#kept, this.store.workspace) !== undefined;
  }

  forgetBrowser(): void {
    forgetToken(this.#kept, this.store.workspace);
    this.store.toast("This browser keeps no link any more.");
  }

  retry(): void {
    this.#socket.retry();
  }

  dispose(): void {
    document.removeEventListener("visibilitychange", this.#look);
    this.#unwatch();
    this.#acks.dispose();
    this.#socket.dispose();
    this.store.dispose();
  }

  send(request: PageRequest): boolean {
    return this.#socket.send(JSON.stringify(request));
  }

  attach(id: string, screen: Screen): () => void {
    const attachment = new Attachment(id, screen, this.#acks, (request) => this.send(request));
    this.#attachments.set(id, attachment);
    if (this.store.listed.peek()) attachment.onBridge();
    return () => {
      if (this.#attachments.get(id) === attachment) this.#attachments.delete(id);
      attachment.dispose();
    };
  }

  /** Whether this page opened it; true once. */
  takeSpawned(id: string): boolean {
    return this.#spawned.delete(id);
  }

  async spawn(request: SpawnRequest = {}): Promise<void> {
    const { store } = this;
    if (store.spawning.peek()) return;
    store.spawning.value = true;
    const outcome = await this.#operations.spawn({ ...this.room, ...request });
    store.spawning.value = false;
    if (!outcome.ok) return store.toast(outcome.error);
    const { id } = outcome.value;
    // Told to everybody before it was answered to us, it may be on the screen already.
    const isShown = this.#attachments.get(id)?.channel !== undefined;
    if (isShown) this.send({ type: "pty:drive", id });
    else this.#spawned.add(id);
    // What everybody was told since is newer than the answer.
    store.change((all) => (find(all, id) ? all : known(all, outcome.value)));
    store.views.enter(viewOf(id));
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

  #onConnection(connection: Connection): void {
    this.store.connection.value = connection;
    if (connection.state === "live") return;
    this.store.listed.value = false;
    this.store.approvals.onAway();
    this.store.people.forget();
    this.#isWelcome = false;
    this.store.forgetDrivers();
    this.#channels.clear();
    for (const attachment of this.#attachments.values()) attachment.onCut();
  }

  /** In, or at the door: either wants to know who this is. */
  #onWelcome(isWaiting: boolean): void {
    this.store.people.isWaiting.value = isWaiting;
    this.hello();
    this.#isWelcome = !isWaiting;
    this.#looking = undefined;
    this.#look();
  }

  #onYou(message: RoomYou): void {
    this.store.people.onYou(message);
    this.store.role.value = message.role;
  }

  #onRemembered(token: string): void {
    rememberToken(this.#kept, this.store.workspace, token);
    this.store.toast("This browser is remembered: the page's own address opens the room here.");
  }

  /** Others are told which terminal this page shows. */
  #look = (): void => {
    const { store } = this;
    const view = document.hidden ? undefined : store.views.current.peek();
    const id = view?.kind === "terminal" ? view.terminalId : null;
    if (!this.#isWelcome || this.#looking === id) return;
    if (this.send({ type: "room:look", id })) this.#looking = id;
  };

  #onBridge(message: BridgeState): void {
    this.store.bridge.value = message;
    if (message.state === "away") this.store.approvals.onAway();
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
    if (code === "not_found" && id !== undefined)
      return this.store.change((all) => exited(all, id, "gone"));
    return this.store.toast(error);
  }

  #onTerminals({ role, terminals, you }: PtyTerminals): void {
    const { store } = this;
    store.you.value = you;
    store.listed.value = true;
    store.role.value = role;
    store.change((all) => listed(all, terminals, this.#isOpened));
    for (const attachment of this.#attachments.values()) attachment.onBridge();
  }

  #onEvent({ event, terminal, exit }: TerminalEvent): void {
    const { store } = this;
    switch (event) {
      case "created":
      case "promoted":
      case "changed":
        return store.change((all) => known(all, terminal));
      case "closed":
        return store.change((all) => closed(all, terminal, exit, this.#isOpened));
      case "output":
        return store.views.mark(viewOf(terminal.id));
      default:
        return event satisfies never;
    }
  }
}

/** Messages to a relay on this machine cost nothing. */
function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}
