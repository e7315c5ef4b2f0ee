// Owns panels: their terminals, when those start and end, which clients get their events, and
// operations on them. A panel's terminal is an ordinary user's terminal: opening, typing and closing go
// through the people's service.

import type {
  PanelErrorCode,
  PanelPayload,
  PanelRequestPayload,
  TerminalSnapshot,
} from "../../protocol/panel.ts";
import { LEAST_CELLS } from "../../protocol/panel.ts";
import { toBytes } from "../../protocol/text.ts";
import type { Caller } from "../callers/caller.ts";
import type { Log } from "../log.ts";
import type { PeopleTerminals } from "../people/service.ts";
import type { ScreenView } from "../screens/view.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Viewers } from "../viewers/viewers.ts";
import { Captures } from "./captures.ts";
import { PanelDebugLog } from "./debug-log.ts";
import { Members } from "./members.ts";
import type { PanelPlace } from "./scope.ts";
import { keyOf, sessionOf } from "./scope.ts";
import type { Target } from "./targets.ts";
import { Targets } from "./targets.ts";

export interface PanelSettings {
  readonly isEnabled: boolean;
  /** Replaces the user's own shell. */
  readonly shell: string | undefined;
  /** Logs panels' events and the lifecycle of their terminals. */
  readonly isDebugged: boolean;
}

export interface PanelParts {
  readonly pool: Pick<TerminalPool, "get" | "running" | "note" | "close">;
  readonly people: Pick<PeopleTerminals, "find" | "open" | "close" | "type" | "whyNot">;
  readonly viewers: Pick<Viewers, "of" | "get" | "attach" | "types" | "resized">;
  readonly screens: { view(terminal: PoolTerminal): Promise<ScreenView> };
  readonly settings: Pick<PanelSettings, "shell" | "isDebugged">;
  readonly log: Pick<Log, "info">;
  /** Encodes a payload as the dialect's message. */
  readonly words: (place: PanelPlace, payload: PanelPayload) => string;
}

interface Want {
  isWanted: boolean;
}

type Size = { readonly cols: number; readonly rows: number };

export type PanelOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: PanelErrorCode; readonly error: string };

export interface Written {
  readonly ok: true;
  readonly sessionId: string | null;
  readonly panelId: string;
  readonly bytesWritten: number;
}

export interface ScreenRead {
  readonly sessionId: string | null;
  readonly panelId: string;
  readonly snapshot: TerminalSnapshot;
}

/** Bounds the sizes remembered for panels that have not started. */
const MOST_SIZES = 256;
/** After a takeover, a connection that is still in the room has returned by then. */
const RETURN_MS = 60_000;

export class Panels {
  readonly #parts: PanelParts;
  readonly #members = new Members();
  readonly #targets = new Targets();
  readonly #captures = new Captures();
  readonly #debug: PanelDebugLog;
  readonly #sizes = new Map<string, Size>();
  /** Starts in progress by key; `isWanted` turns false if the panel is closed meanwhile. */
  readonly #starting = new Map<string, { readonly want: Want; readonly done: Promise<void> }>();
  readonly #sweep: NodeJS.Timeout;

  constructor(parts: PanelParts) {
    this.#parts = parts;
    this.#debug = new PanelDebugLog({ ...parts.settings, log: parts.log });
    for (const { terminal, place } of this.#running()) {
      this.#debug.follow(place, terminal, "was running already");
    }
    this.#sweep = setTimeout(() => this.#endDeserted(), RETURN_MS).unref();
  }

  dispose(): void {
    clearTimeout(this.#sweep);
    this.#captures.dispose();
  }

  /** Returns the panel that an envelope addresses; undefined for a caller without a peer number. */
  placeOf(caller: Caller, panelId: string, sessionId: string | undefined): PanelPlace | undefined {
    const number = this.#parts.viewers.of(caller)?.number;
    if (number === undefined) return undefined;
    this.#members.came(caller, String(number));
    if (sessionId !== undefined) return { panelId, scope: "session", scopeId: sessionId };
    return { panelId, scope: "connection", scopeId: String(number) };
  }

  /** Logs a client's event, before any check. */
  received(place: PanelPlace, payload: PanelRequestPayload): void {
    this.#debug.received(place, payload);
  }

  /** Subscribes a caller to the session that it named, and shows it the session's panels. */
  join(caller: Caller, session: string): void {
    if (!this.#members.join(caller, session)) return;
    for (const { terminal, place } of this.#running()) {
      if (sessionOf(place) === session) this.#show(caller, place, terminal);
    }
  }

  left(caller: Caller): void {
    const connection = this.#members.left(caller);
    for (const { terminal, place } of this.#running()) {
      if (place.scope !== "connection" || place.scopeId !== connection) continue;
      this.#end(place, terminal, "its connection has ended");
    }
  }

  async open(caller: Caller, place: PanelPlace): Promise<void> {
    this.#targets.used(place);
    const terminal = this.#terminalOf(place);
    if (terminal === undefined) await this.#start(caller, place);
    else this.#show(caller, place, terminal);
  }

  async close(caller: Caller, place: PanelPlace): Promise<void> {
    this.#targets.closed(place);
    this.#sizes.delete(keyOf(place));
    const starting = this.#starting.get(keyOf(place));
    if (starting !== undefined) starting.want.isWanted = false;
    const terminal = this.#terminalOf(place);
    if (terminal !== undefined) await this.#parts.people.close(caller, terminal);
  }

  /** Types text; starts the panel's terminal if there is none. */
  async input(caller: Caller, place: PanelPlace, text: string): Promise<void> {
    this.#targets.used(place);
    if (this.#terminalOf(place) === undefined) await this.#start(caller, place);
    const terminal = this.#terminalOf(place);
    const viewer = this.#parts.viewers.of(caller);
    if (terminal === undefined || viewer === undefined) return;
    const type = () => this.#parts.people.type(caller, terminal, toBytes(text));
    this.#parts.viewers.types(viewer, terminal, type);
  }

  resize(caller: Caller, place: PanelPlace, size: Size): void {
    const cols = Math.max(LEAST_CELLS, size.cols);
    const rows = Math.max(LEAST_CELLS, size.rows);
    const key = keyOf(place);
    const [oldest] = this.#sizes.keys();
    if (!this.#sizes.has(key) && this.#sizes.size >= MOST_SIZES && oldest !== undefined) {
      this.#sizes.delete(oldest);
    }
    this.#sizes.set(key, { cols, rows });
    const terminal = this.#terminalOf(place);
    const viewer = this.#parts.viewers.of(caller);
    if (terminal !== undefined && viewer !== undefined) {
      this.#parts.viewers.resized(viewer, terminal, { cols, rows });
    }
  }

  /** Moves a panel: closes the one in the old scope and opens the new one. */
  async move(caller: Caller, from: PanelPlace, to: PanelPlace): Promise<void> {
    if (keyOf(from) !== keyOf(to)) await this.close(caller, from);
    await this.open(caller, to);
  }

  async deleteSession(caller: Caller, session: string): Promise<void> {
    const over = this.#running().filter(({ place }) => sessionOf(place) === session);
    for (const { place } of over) this.#debug.operation(place, "session_deleted");
    await Promise.all(over.map(({ place }) => this.close(caller, place)));
    this.#members.ended(session);
  }

  captured(place: PanelPlace, requestId: string, answer: TerminalSnapshot | string): void {
    const capture =
      typeof answer === "string"
        ? ({ ok: false, code: "terminal_snapshot_failed", error: answer } as const)
        : ({ ok: true, snapshot: answer } as const);
    this.#captures.answered(keyOf(place), requestId, capture);
  }

  /**
   * Returns the running terminal of the addressed panel; a terminal that the caller may not see counts
   * as missing.
   */
  find(
    caller: Caller,
    target: Target,
  ): PanelOutcome<{ place: PanelPlace; terminal: PoolTerminal }> {
    const running = this.#running().map(({ place }) => place);
    const found = this.#targets.find(target, running);
    if (!found.ok) return found;
    const { place } = found;
    const terminal = this.#terminalOf(place);
    if (terminal === undefined || this.#parts.people.find(caller, terminal.id) === undefined) {
      const error = `Panel ${place.panelId} has no running terminal; open it first`;
      return { ok: false, code: "terminal_not_ready", error };
    }
    return { ok: true, value: { place, terminal } };
  }

  /** Marks the panel as active after input from outside this service. */
  wrote({ meta: { panel } }: PoolTerminal): void {
    if (panel !== undefined) this.#targets.used(panel);
  }

  write(caller: Caller, target: Target, text: string): PanelOutcome<Written> {
    const found = this.find(caller, target);
    if (!found.ok) return found;
    const { place, terminal } = found.value;
    const bytes = toBytes(text);
    this.#parts.people.type(caller, terminal, bytes);
    this.#targets.used(place);
    this.#debug.operation(place, `operation write, ${bytes.length} bytes`);
    return { ok: true, value: { ok: true, ...namesOf(place), bytesWritten: bytes.length } };
  }

  /**
   * Returns the bridge's screen of the terminal, or with `client` the screen that an open panel
   * reports.
   */
  async readScreen(
    caller: Caller,
    target: Target,
    client: { readonly timeoutMs: number } | undefined,
  ): Promise<PanelOutcome<ScreenRead>> {
    const found = this.find(caller, target);
    if (!found.ok) return found;
    const { place, terminal } = found.value;
    this.#debug.operation(place, "operation read-screen");
    if (client === undefined) {
      const snapshot = toSnapshot(await this.#parts.screens.view(terminal));
      return { ok: true, value: { ...namesOf(place), snapshot } };
    }
    const capture = await this.#captures.request(keyOf(place), client.timeoutMs, (requestId) =>
      this.#tell(place, { type: "terminal_snapshot_request", requestId }),
    );
    if (!capture.ok) return capture;
    return { ok: true, value: { ...namesOf(place), snapshot: capture.snapshot } };
  }

  /** Starts the panel's terminal; concurrent calls share one start. */
  async #start(caller: Caller, place: PanelPlace): Promise<void> {
    const key = keyOf(place);
    const known = this.#starting.get(key);
    if (known !== undefined) return await known.done;
    const want = { isWanted: true };
    const starting = { want, done: this.#startNow(caller, place, want) };
    this.#starting.set(key, starting);
    try {
      return await starting.done;
    } finally {
      this.#starting.delete(key);
    }
  }

  async #startNow(caller: Caller, place: PanelPlace, want: Want): Promise<void> {
    const { people, pool, settings } = this.#parts;
    const size = this.#sizes.get(keyOf(place)) ?? {};
    const command = settings.shell === undefined ? {} : { command: [settings.shell] };
    const opened = await people.open(caller, { ...size, ...command });
    if (!opened.ok) {
      this.#debug.lifecycle(place, `no terminal started: ${JSON.stringify(opened.error)}`);
      return caller.tell(this.#encode(place, errorStatus(opened.error)));
    }
    const terminal = pool.get(opened.terminal.id);
    if (terminal === undefined) return undefined;
    pool.note(terminal, { panel: place });
    this.#debug.follow(place, terminal, "started");
    if (!want.isWanted) return void pool.close(terminal, "its panel was closed");
    for (const member of this.#members.of(place)) this.#show(member, place, terminal);
    return undefined;
  }

  /** Sends `ready` and attaches the caller to the output. */
  #show(caller: Caller, place: PanelPlace, terminal: PoolTerminal): void {
    const { people, viewers } = this.#parts;
    const viewer = viewers.of(caller);
    if (viewer === undefined || people.find(caller, terminal.id) === undefined) return;
    const ready = { type: "terminal_status", state: "ready", terminalId: terminal.id } as const;
    caller.tell(this.#encode(place, ready));
    const mayType = people.whyNot(caller, "change") === undefined;
    viewers.attach(viewer, terminal, mayType, undefined, "panel");
  }

  #tell(place: PanelPlace, payload: PanelPayload): void {
    const message = this.#encode(place, payload);
    for (const member of this.#members.of(place)) member.tell(message);
  }

  #encode(place: PanelPlace, payload: PanelPayload): string {
    this.#debug.sent(place, payload);
    return this.#parts.words(place, payload);
  }

  #end(place: PanelPlace, terminal: PoolTerminal, reason: string): void {
    this.#targets.closed(place);
    void this.#parts.pool.close(terminal, reason);
  }

  /** Closes panels of a previous bridge whose connections did not return. */
  #endDeserted(): void {
    for (const { terminal, place } of this.#running()) {
      if (place.scope !== "connection") continue;
      if (this.#parts.viewers.get(Number(place.scopeId)) !== undefined) continue;
      this.#end(place, terminal, "its connection did not come back");
    }
  }

  #running(): { readonly terminal: PoolTerminal; readonly place: PanelPlace }[] {
    return this.#parts.pool.running().flatMap((terminal) => {
      const { panel } = terminal.meta;
      return panel === undefined ? [] : [{ terminal, place: panel }];
    });
  }

  #terminalOf(place: PanelPlace): PoolTerminal | undefined {
    const key = keyOf(place);
    return this.#running().find(
      ({ terminal, place: its }) => keyOf(its) === key && terminal.life.state === "running",
    )?.terminal;
  }
}

export function errorStatus(message: string): PanelPayload {
  return { type: "terminal_status", state: "error", message };
}

function namesOf(place: PanelPlace): Pick<Written, "sessionId" | "panelId"> {
  return { sessionId: sessionOf(place) ?? null, panelId: place.panelId };
}

export function toSnapshot({ timestamp, ...view }: ScreenView): TerminalSnapshot {
  const { cols, rows, cursor, bufferType, lines, wrapped } = view;
  return {
    cols,
    rows,
    cursor,
    bufferType,
    lines: lines.map((line) => line.trimEnd()),
    wrapped,
    timestamp: new Date(timestamp).toISOString(),
  };
}
