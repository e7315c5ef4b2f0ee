// Owns applying an agent's session updates to its conversation: text, tools, plans, modes, and
// terminals that the agent only shows. Its requests are handled in agent-requests.ts. Also owns
// terminals that a coding agent runs itself and only shows: each becomes a terminal of the room
// that prints the output reported by the agent.

import type { Log } from "../log.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { StartedBy } from "../terminals/spawn-plan.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Conversation } from "./conversation.ts";
import type { ToolPatch, TerminalUpdateEvent } from "./tool-call.ts";
import type { Update } from "./update-parser.ts";

export interface SessionUpdatesDeps {
  readonly shownTerminals: Pick<ShownTerminals, "findId" | "apply">;
  /** Returns the agent to which shown terminals belong. */
  readonly by: () => { readonly grant: string; readonly label: string };
  /** Receives the text of the agent's answer during a turn, as it arrives. */
  readonly onText: ((text: string) => void) | undefined;
}

/** The part of a session that updates need. */
interface UpdateTarget {
  readonly conversation: Conversation;
  readonly isLoading: boolean;
}

export class SessionUpdates {
  readonly #deps: SessionUpdatesDeps;

  constructor(deps: SessionUpdatesDeps) {
    this.#deps = deps;
  }

  apply(session: UpdateTarget, update: Update): void {
    const { conversation } = session;
    switch (update.kind) {
      case "text":
        return this.#applyText(session, update);
      case "tool":
        conversation.apply({
          event: "tool",
          patch: this.withRoomTerminalIds(conversation, update.patch),
        });
        return this.#showTerminals(conversation, update.terminals);
      case "terminals":
        return this.#showTerminals(conversation, update.terminals);
      case "plan":
        return conversation.apply({ event: "plan", steps: update.steps });
      case "commands":
        return conversation.setCommands(update.commands);
      case "mode":
        return conversation.setMode(update.current);
      case "title":
        return conversation.setTitle(update.title);
      case "note":
        return conversation.apply({ event: "note", text: update.text });
    }
  }

  /** Replaces the agent's terminal ids by the room's, where the terminal is already shown. */
  withRoomTerminalIds(conversation: Conversation, patch: ToolPatch): ToolPatch {
    const content = patch.content?.map((piece) => {
      if (piece.type !== "terminal") return piece;
      const id = this.#deps.shownTerminals.findId(conversation.id, piece.terminal);
      return id === undefined ? piece : { ...piece, terminal: id };
    });
    return { ...patch, content };
  }

  #applyText(
    { conversation, isLoading }: UpdateTarget,
    update: Extract<Update, { kind: "text" }>,
  ): void {
    const { of, text, message } = update;
    if (of !== "user") {
      conversation.apply({ event: "text", of, text, message });
      if (of === "message" && conversation.state === "working") this.#deps.onText?.(text);
      return;
    }
    const last = conversation.entries.findLast(({ kind }) => kind === "prompt");
    // Some agents repeat the prompt.
    const isEcho = !isLoading && last?.kind === "prompt" && last.text.includes(text);
    if (!isEcho) conversation.apply({ event: "said", by: "", text });
  }

  /** Forwards updates of terminals that the agent only shows. */
  #showTerminals(
    conversation: Conversation,
    news: readonly Parameters<ShownTerminals["apply"]>[1][],
  ): void {
    for (const one of news) {
      this.#deps.shownTerminals.apply(
        {
          conversation: conversation.id,
          by: this.#deps.by(),
          onShown: (as, terminal) => conversation.apply({ event: "shown", as, terminal }),
          onExit: (terminal, exit) => conversation.apply({ event: "terminal", terminal, exit }),
        },
        one,
      );
    }
  }
}

// No one types into it, and no agent sees it. Beyond a number of them, only text is shown.

export type ShownPool = Pick<
  TerminalPool,
  "plan" | "start" | "get" | "input" | "watch" | "close" | "updateMeta"
>;

/** Prints its input unchanged; its first byte, the title, signals that it is ready. */
const MIRROR_COMMAND = "stty raw -echo && printf '\\033]2;shown\\007' && exec cat";
/** Clears the screen and its scrollback. */
const CLEAR = "\u001b[H\u001b[2J\u001b[3J";
const MAX_RUNNING = 16;
const MAX_WAITING = 256 << 10;
/** Lets the last output reach the terminal before it closes. */
const DRAIN_MS = 200;
const RETAIN = { bytes: 256 << 10, untilForgotten: true } as const;

interface ShownTerminal {
  terminal: PoolTerminal | undefined;
  waiting: Buffer[];
  length: number;
  isOver: boolean;
  /** The program's exit, reported once the room's terminal exists. */
  exit: string | undefined;
}

export interface ShownOwner {
  readonly conversation: string;
  readonly by: StartedBy;
  /** Fires when the room's terminal exists. */
  readonly onShown: (as: string, terminal: string) => void;
  readonly onExit: (terminal: string, exit: string) => void;
}

export class ShownTerminals {
  readonly #pool: ShownPool;
  readonly #log: Pick<Log, "warn">;
  /** Keyed by conversation and the agent's own id. */
  readonly #shown = new Map<string, ShownTerminal>();

  constructor(pool: ShownPool, log: Pick<Log, "warn">) {
    this.#pool = pool;
    this.#log = log;
  }

  /** Returns the room's id of the agent's terminal; undefined if there is none yet. */
  findId(conversation: string, as: string): string | undefined {
    return this.#shown.get(toKey(conversation, as))?.terminal?.id;
  }

  apply(owner: ShownOwner, update: TerminalUpdateEvent): void {
    const key = toKey(owner.conversation, update.id);
    const shown = this.#shown.get(key) ?? this.#open(key, owner, update.id);
    if (shown === undefined || shown.isOver) return;
    switch (update.news) {
      case "info":
        return;
      case "output":
        return this.#write(shown, toTerminalBytes(update.data));
      case "snapshot":
        this.#write(shown, Buffer.from(CLEAR));
        return this.#write(shown, update.data);
      case "exit":
        return this.#exit(shown, owner, update.exit);
    }
  }

  /** Ends the terminals of a conversation that is over. */
  endForConversation(conversation: string): void {
    for (const [key, shown] of this.#shown) {
      if (!key.startsWith(toKey(conversation, ""))) continue;
      this.#shown.delete(key);
      if (!shown.isOver) this.#end(shown, "its conversation is over");
    }
  }

  #open(key: string, owner: ShownOwner, as: string): ShownTerminal | undefined {
    const running = [...this.#shown.values()].filter(({ isOver }) => !isOver);
    if (running.length >= MAX_RUNNING) return undefined;
    const shown: ShownTerminal = {
      terminal: undefined,
      waiting: [],
      length: 0,
      isOver: false,
      exit: undefined,
    };
    this.#shown.set(key, shown);
    void this.#start(owner, as, shown);
    return shown;
  }

  async #start(owner: ShownOwner, as: string, shown: ShownTerminal): Promise<void> {
    const { conversation, by } = owner;
    const planned = this.#pool.plan({
      line: MIRROR_COMMAND,
      lane: "command",
      lifetime: "held",
      startedBy: by,
      retain: RETAIN,
      conversation: { id: conversation, limit: 0 },
      environment: { PATH: process.env["PATH"] },
    });
    if (!planned.ok) return this.#fail(planned.error);
    const started = await this.#pool.start({ ...planned.plan, command: [as], isFeed: true });
    if (!started.ok) return this.#fail(started.error);
    const terminal = this.#pool.get(started.terminal.id);
    if (terminal === undefined) return this.#fail("it exited immediately");
    if (terminal.end > 0) return this.#ready(owner, as, shown, terminal);
    const stop = this.#pool.watch(terminal, () => {
      stop();
      this.#ready(owner, as, shown, terminal);
    });
    return undefined;
  }

  #ready(owner: ShownOwner, as: string, shown: ShownTerminal, terminal: PoolTerminal): void {
    shown.terminal = terminal;
    for (const bytes of shown.waiting.splice(0)) this.#pool.input(terminal, bytes);
    owner.onShown(as, terminal.id);
    if (shown.exit !== undefined) owner.onExit(terminal.id, shown.exit);
    if (shown.isOver) this.#end(shown, "its program has ended");
  }

  #write(shown: ShownTerminal, bytes: Buffer): void {
    if (shown.terminal !== undefined) return this.#pool.input(shown.terminal, bytes);
    if (shown.length + bytes.length > MAX_WAITING) return undefined;
    shown.waiting.push(bytes);
    shown.length += bytes.length;
    return undefined;
  }

  #exit(shown: ShownTerminal, owner: ShownOwner, exit: string): void {
    this.#end(shown, "its program has ended");
    if (shown.terminal === undefined) shown.exit = exit;
    else owner.onExit(shown.terminal.id, exit);
  }

  #end(shown: ShownTerminal, why: string): void {
    shown.isOver = true;
    const { terminal } = shown;
    if (terminal === undefined) return;
    const place = terminal.meta.conversation;
    if (place !== undefined) {
      this.#pool.updateMeta(terminal, { conversation: { ...place, isReleased: true } });
    }
    setTimeout(() => void this.#pool.close(terminal, why), DRAIN_MS).unref();
  }

  #fail(why: string): void {
    this.#log.warn(`people cannot see a coding agent's terminal: ${why}`);
  }
}

function toKey(conversation: string, as: string): string {
  return `${conversation} ${as}`;
}

/** Converts text to a terminal's line ends; bytes are already in that form. */
function toTerminalBytes(data: string | Buffer): Buffer {
  return typeof data === "string" ? Buffer.from(data.replaceAll(/\r?\n/g, "\r\n")) : data;
}
