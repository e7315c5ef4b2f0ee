// Owns the pty dialect in the page: the terminals that screens show here, their channels and acks,
// and the bridge's reports about terminals. Does not draw.

import type { PtyAttached, PtyEvent, PtyEventOf } from "../../protocol/pty.ts";
import type { PtyRequest, SpawnBody } from "../../protocol/pty-requests.ts";
import type { Output } from "../../protocol/output.ts";
import { encodeAcks, PROOF_CHANNEL } from "../../protocol/output.ts";
import type { Terminal, TerminalEvent } from "../../protocol/terminal.ts";
import { toText } from "../../protocol/text.ts";
import { Acks } from "./acks.ts";
import type { Screen } from "./attachment.ts";
import { Attachment } from "./attachment.ts";
import type { PageDialect, DialectDeps } from "./dialect.ts";
import { parseBinary } from "./messages.ts";
import type { Outcome } from "./pending-answers.ts";
import { PendingAnswers } from "./pending-answers.ts";
import { formatHandover, formatRecording, formatName as nameText } from "./terminal-names.ts";
import type { Store } from "./store.ts";
import {
  closeTerminal,
  dropClosed,
  toTerminalEnd,
  markExited,
  findTerminal,
  hasSteppedIn,
  putTerminal,
  mergeTerminals,
  getLostState,
  setRunning,
  setTitle,
  toTerminalView,
} from "./terminal-list.ts";

export class PtyClient implements PageDialect<PtyEvent> {
  readonly #store: Store;
  readonly #send: (request: PtyRequest) => boolean;
  readonly #sendBytes: DialectDeps<PtyRequest>["sendBytes"];
  readonly #attachments = new Map<string, Attachment>();
  /**
   * By the last channel number of each attachment; entries count only while the attachment still
   * has it.
   */
  readonly #channels = new Map<number, Attachment>();
  readonly #acks = new Acks({
    send: (rendered, proof) => this.#ack(rendered, proof),
    eager: isLoopback(location.hostname),
    isDrivenByOther: (id) => this.#store.drivers.peek().get(id)?.who === "other",
  });

  /** Requests for terminals, by ids of this page's own. */
  readonly #spawning = new PendingAnswers<Terminal>();
  /** Requests to close terminals, by their ids. */
  readonly #closing = new PendingAnswers<void>();
  #spawns = 0;

  constructor({ store, send, sendBytes }: Omit<DialectDeps<PtyRequest>, "storage">) {
    this.#store = store;
    this.#send = send;
    this.#sendBytes = sendBytes;
  }

  get handlers(): PageDialect<PtyEvent>["handlers"] {
    const store = this.#store;
    return {
      "pty:attached": (message) => this.#onAttached(message),
      // Output in the plain rendition, which this page does not use.
      "pty:output": () => undefined,
      "pty:resized": (message) => this.#attachments.get(message.id)?.onResized(message),
      "pty:exit": (message) => this.#onExit(message),
      "pty:terminals": (message) => this.#onTerminals(message),
      "pty:driver": (message) => store.onDriver(message),
      "pty:asked": (message) => store.onAsked(message),
      "pty:foreground": (message) => store.onForeground(message),
      "pty:recording": (message) => this.#onRecording(message),
      "pty:titled": ({ id, title }) => store.updateTerminals((all) => setTitle(all, id, title)),
      "pty:running": ({ running }) => store.updateTerminals((all) => setRunning(all, running)),
      "pty:spawned": ({ id, terminal }) =>
        void this.#spawning.settle(id, { ok: true, value: terminal }),
      "pty:closed": ({ id }) => void this.#closing.settle(id, { ok: true, value: undefined }),
      "pty:error": (message) => this.#onError(message),
      terminal: (message) => this.#onEvent(message),
    };
  }

  onAway(): void {
    // A silent host drops what came too late, so neither will happen.
    const isSilent = this.#store.bridge.peek().how === "silent";
    this.#spawning.fail(
      isSilent
        ? "The host stopped responding before the terminal opened."
        : "Connection lost. The new terminal may still open.",
    );
    this.#closing.fail(
      isSilent
        ? "The host stopped responding before the terminal closed."
        : "Connection lost. The terminal may still close.",
    );
  }

  onCut(): void {
    this.#store.forgetDrivers();
    this.#channels.clear();
    for (const attachment of this.#attachments.values()) attachment.onCut();
  }

  dispose(): void {
    this.#acks.dispose();
  }

  /** Whether the terminal is attached on this socket. */
  isShown(id: string): boolean {
    return this.#attachments.get(id)?.channel !== undefined;
  }

  /** Opens a terminal. */
  spawn(body: SpawnBody): Promise<Outcome<Terminal>> {
    this.#spawns += 1;
    const id = `spawn-${this.#spawns}`;
    return this.#spawning.ask(id, () => this.#ask({ type: "pty:spawn", id, ...body }));
  }

  /** Ends a terminal and all its processes. */
  async close(id: string): Promise<Outcome<void>> {
    const { closing } = this.#store;
    closing.value = new Set([...closing.peek(), id]);
    const outcome = await this.#closing.ask(id, () => this.#ask({ type: "pty:close", id }));
    closing.value = new Set([...closing.peek()].filter((one) => one !== id));
    return outcome;
  }

  /** Shows a terminal on a screen, which replaces its previous one; returns its end. */
  attach(id: string, screen: Screen): () => void {
    this.#attachments.get(id)?.dispose();
    const attachment = new Attachment(id, screen, this.#acks, this.#send);
    this.#attachments.set(id, attachment);
    if (this.#store.isListed.peek()) attachment.onBridge();
    return () => {
      if (this.#attachments.get(id) !== attachment) return;
      this.#attachments.delete(id);
      attachment.dispose();
    };
  }

  /** Handles output or a proof request; returns the text of an event sent in output order. */
  onBinary(data: ArrayBuffer): string | undefined {
    const read = parseBinary(data);
    if (read?.is === "output") return this.onOutput(read.channel, read.output);
    if (read) this.#acks.answerProof(read.n);
    return undefined;
  }

  /** Handles output; returns the text of an event sent in output order. */
  onOutput(channel: number, output: Output): string | undefined {
    const attachment = this.#findAttachment(channel);
    if (!attachment) return undefined;
    if (output.span === 0) return toText(output.body);
    this.#store.views.markUnread(toTerminalView(attachment.id));
    attachment.onOutput(output);
    return undefined;
  }

  /** Attaches the channel's terminal again, unless that is under way: something is missing. */
  reattach(channel: number): void {
    this.#findAttachment(channel)?.onGap();
  }

  #findAttachment(channel: number): Attachment | undefined {
    const attachment = this.#channels.get(channel);
    return attachment?.channel === channel ? attachment : undefined;
  }

  /** Sends a request that is answered; returns false if no bridge would get it. */
  #ask(request: PtyRequest): boolean {
    return this.#store.reachable.peek() && this.#send(request);
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
    if (acks.length > 0) this.#sendBytes(encodeAcks(0, acks));
  }

  #isOpened = (id: string): boolean => this.#store.views.isOpened(toTerminalView(id));

  #isInSight = (id: string): boolean => this.#store.views.isShown(toTerminalView(id));

  #onExit({ id, exitCode, signal }: PtyEventOf<"pty:exit">): void {
    this.#store.updateTerminals((all) => markExited(all, id, { exitCode, signal }));
    this.#attachments.get(id)?.onExit();
  }

  #onError({ id, code, error }: PtyEventOf<"pty:error">): void {
    const outcome = { ok: false, code, error } as const;
    if (this.#spawning.settle(id, outcome) || this.#closing.settle(id, outcome)) return undefined;
    // Attaching again to a terminal that ended long ago: its tab shows that already.
    if (code === "not_found" && id !== undefined) {
      this.#attachments.get(id)?.onMissing();
      return this.#store.updateTerminals((all) =>
        markExited(all, id, getLostState(this.#store.role.peek() ?? "view")),
      );
    }
    if (code === "host_asleep") return this.#onAsleep(id, error);
    return this.#store.toast(error);
  }

  /**
   * Names the terminal, and stays until a person uses the page: no one may be looking at it while its
   * host sleeps.
   */
  #onAsleep(id: string | undefined, error: string): void {
    const name = nameText(id === undefined ? undefined : this.#store.names.peek().get(id));
    const text = name === "" ? error : `${name}: ${error}`;
    this.#store.toasts.show(text, { topic: "asleep", stays: true });
  }

  #onTerminals({ role, terminals, you }: PtyEventOf<"pty:terminals">): void {
    const store = this.#store;
    store.you.value = you;
    store.isListed.value = true;
    store.role.value = role;
    store.updateTerminals((all) =>
      mergeTerminals(all, terminals, this.#isOpened, getLostState(role)),
    );
    store.conversations.stopWaiting();
    for (const attachment of this.#attachments.values()) attachment.onBridge();
  }

  #onRecording(message: PtyEventOf<"pty:recording">): void {
    const store = this.#store;
    const text = formatRecording(message, nameText(store.names.peek().get(message.id)));
    if (text !== undefined) store.toast(text);
  }

  #onEvent(change: TerminalEvent): void {
    const store = this.#store;
    const { event, terminal } = change;
    switch (event) {
      case "promoted":
        store.updateTerminals((all) => putTerminal(all, terminal));
        return store.toast(formatHandover(terminal, store.names.peek().get(terminal.id)));
      case "created":
      case "changed": {
        const isBack = findTerminal(store.terminals.peek() ?? [], terminal.id)?.ended === "unseen";
        store.updateTerminals((all) => putTerminal(dropClosed(all, this.#isInSight), terminal));
        // The hint about how to step in is done.
        if (hasSteppedIn(store.findTerminal(terminal.id), store.you.peek()))
          store.toasts.drop("step-in");
        // The bridge detached this page when it hid the terminal.
        if (isBack) this.#attachments.get(terminal.id)?.onBridge();
        return undefined;
      }
      case "closed":
        return store.updateTerminals((all) =>
          dropClosed(
            closeTerminal(all, terminal, toTerminalEnd(change), this.#isOpened),
            this.#isInSight,
          ),
        );
      case "output":
        return store.views.markUnread(toTerminalView(terminal.id));
      default:
        return event satisfies never;
    }
  }
}

/** Whether the relay is on this machine, where messages are free. */
function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || host.startsWith("127.");
}
