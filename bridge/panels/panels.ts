// Owns panels: their terminals, when those start and end, which clients get their events, and
// operations on them. A panel's terminal is an ordinary user's terminal: opening, typing and closing go
// through the people's service.

import type {
  PanelErrorCode,
  PanelPayload,
  PanelRequestPayload,
  TerminalSnapshot,
} from "../../protocol/panel.ts";
import { MIN_CELLS } from "../../protocol/panel.ts";
import { toBytes } from "../../protocol/text.ts";
import type { Caller } from "../callers/caller.ts";
import type { Log } from "../log.ts";
import type { PeopleTerminals } from "../people/people-terminals.ts";
import type { ScreenView } from "../screens/screen-view.ts";
import type { TerminalPool } from "../terminals/pool.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { Viewers } from "../viewers/viewers.ts";
import { ScreenCaptures } from "./screen-captures.ts";
import { PanelDebugLog } from "./panel-debug-log.ts";
import type { PanelAddress, PanelTarget } from "./panel-targets.ts";
import { SessionMembers, toPanelKey, findSessionId, PanelTargets } from "./panel-targets.ts";

export interface PanelSettings {
  readonly isEnabled: boolean;
  /** Replaces the user's own shell. */
  readonly shell: string | undefined;
  /** Logs panels' events and the lifecycle of their terminals. */
  readonly isDebugged: boolean;
}

export interface PanelsDeps {
  readonly pool: Pick<TerminalPool, "get" | "running" | "updateMeta" | "close">;
  readonly people: Pick<PeopleTerminals, "find" | "open" | "close" | "type" | "denialReason">;
  readonly viewers: Pick<Viewers, "findByCaller" | "get" | "attach" | "requestSize">;
  readonly screens: { view(terminal: PoolTerminal): Promise<ScreenView> };
  readonly settings: Pick<PanelSettings, "shell" | "isDebugged">;
  readonly log: Pick<Log, "info">;
  /** Encodes a payload as the dialect's message. */
  readonly encode: (address: PanelAddress, payload: PanelPayload) => string;
}

interface StartState {
  isWanted: boolean;
}

type Size = { readonly cols: number; readonly rows: number };

export type PanelOutcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly code: PanelErrorCode; readonly error: string };

export interface WriteResult {
  readonly ok: true;
  readonly sessionId: string | null;
  readonly panelId: string;
  readonly bytesWritten: number;
}

export interface ScreenReadResult {
  readonly sessionId: string | null;
  readonly panelId: string;
  readonly snapshot: TerminalSnapshot;
}

/** Bounds the sizes remembered for panels that have not started. */
const MAX_SIZES = 256;
/** After a takeover, a connection that is still in the room has returned by then. */
const RETURN_MS = 60_000;

export class Panels {
  readonly #deps: PanelsDeps;
  readonly #members = new SessionMembers();
  readonly #targets = new PanelTargets();
  readonly #captures = new ScreenCaptures();
  readonly #debug: PanelDebugLog;
  readonly #sizes = new Map<string, Size>();
  /** Starts in progress by key; `isWanted` turns false if the panel is closed meanwhile. */
  readonly #starting = new Map<
    string,
    { readonly want: StartState; readonly done: Promise<void> }
  >();
  readonly #sweep: NodeJS.Timeout;

  constructor(deps: PanelsDeps) {
    this.#deps = deps;
    this.#debug = new PanelDebugLog({ ...deps.settings, log: deps.log });
    for (const { terminal, place: address } of this.#running()) {
      this.#debug.follow(address, terminal, "was running already");
    }
    this.#sweep = setTimeout(() => this.#closeAbandoned(), RETURN_MS).unref();
  }

  dispose(): void {
    clearTimeout(this.#sweep);
    this.#captures.dispose();
  }

  /** Returns the panel that an envelope addresses; undefined for a caller without a peer number. */
  toAddress(
    caller: Caller,
    panelId: string,
    sessionId: string | undefined,
  ): PanelAddress | undefined {
    const number = this.#deps.viewers.findByCaller(caller)?.number;
    if (number === undefined) return undefined;
    this.#members.addCaller(caller, String(number));
    if (sessionId !== undefined) return { panelId, scope: "session", scopeId: sessionId };
    return { panelId, scope: "connection", scopeId: String(number) };
  }

  /** Logs a client's event, before any check. */
  logReceived(address: PanelAddress, payload: PanelRequestPayload): void {
    this.#debug.received(address, payload);
  }

  /** Subscribes a caller to the session that it named, and shows it the session's panels. */
  join(caller: Caller, session: string): void {
    if (!this.#members.join(caller, session)) return;
    for (const { terminal, place: address } of this.#running()) {
      if (findSessionId(address) === session) this.#show(caller, address, terminal);
    }
  }

  removeCaller(caller: Caller): void {
    const connection = this.#members.removeCaller(caller);
    for (const { terminal, place: address } of this.#running()) {
      if (address.scope !== "connection" || address.scopeId !== connection) continue;
      this.#end(address, terminal, "its connection has ended");
    }
  }

  async open(caller: Caller, address: PanelAddress): Promise<void> {
    this.#targets.markUsed(address);
    const terminal = this.#findTerminal(address);
    if (terminal === undefined) await this.#start(caller, address);
    else this.#show(caller, address, terminal);
  }

  async close(caller: Caller, address: PanelAddress): Promise<void> {
    this.#targets.remove(address);
    this.#sizes.delete(toPanelKey(address));
    const starting = this.#starting.get(toPanelKey(address));
    if (starting !== undefined) starting.want.isWanted = false;
    const terminal = this.#findTerminal(address);
    if (terminal !== undefined) await this.#deps.people.close(caller, terminal);
  }

  /** Types text; starts the panel's terminal if there is none. */
  async input(caller: Caller, address: PanelAddress, text: string): Promise<void> {
    this.#targets.markUsed(address);
    if (this.#findTerminal(address) === undefined) await this.#start(caller, address);
    const terminal = this.#findTerminal(address);
    const viewer = this.#deps.viewers.findByCaller(caller);
    if (terminal === undefined || viewer === undefined) return;
    this.#deps.people.type(caller, terminal.id, toBytes(text), { viewer });
  }

  resize(caller: Caller, address: PanelAddress, size: Size): void {
    const cols = Math.max(MIN_CELLS, size.cols);
    const rows = Math.max(MIN_CELLS, size.rows);
    const key = toPanelKey(address);
    const [oldest] = this.#sizes.keys();
    if (!this.#sizes.has(key) && this.#sizes.size >= MAX_SIZES && oldest !== undefined) {
      this.#sizes.delete(oldest);
    }
    this.#sizes.set(key, { cols, rows });
    const terminal = this.#findTerminal(address);
    const viewer = this.#deps.viewers.findByCaller(caller);
    if (terminal !== undefined && viewer !== undefined) {
      this.#deps.viewers.requestSize(viewer, terminal, { cols, rows });
    }
  }

  /** Moves a panel: closes the one in the old scope and opens the new one. */
  async move(caller: Caller, from: PanelAddress, to: PanelAddress): Promise<void> {
    if (toPanelKey(from) !== toPanelKey(to)) await this.close(caller, from);
    await this.open(caller, to);
  }

  async deleteSession(caller: Caller, session: string): Promise<void> {
    const affected = this.#running().filter(
      ({ place: address }) => findSessionId(address) === session,
    );
    for (const { place: address } of affected) this.#debug.operation(address, "session_deleted");
    await Promise.all(affected.map(({ place: address }) => this.close(caller, address)));
    this.#members.endSession(session);
  }

  completeCapture(
    address: PanelAddress,
    requestId: string,
    answer: TerminalSnapshot | string,
  ): void {
    const capture =
      typeof answer === "string"
        ? ({ ok: false, code: "terminal_snapshot_failed", error: answer } as const)
        : ({ ok: true, snapshot: answer } as const);
    this.#captures.answer(toPanelKey(address), requestId, capture);
  }

  /**
   * Returns the running terminal of the addressed panel; a terminal that the caller may not see counts
   * as missing.
   */
  find(
    caller: Caller,
    target: PanelTarget,
  ): PanelOutcome<{ place: PanelAddress; terminal: PoolTerminal }> {
    const running = this.#running().map(({ place: address }) => address);
    const found = this.#targets.find(target, running);
    if (!found.ok) return found;
    const { place: address } = found;
    const terminal = this.#findTerminal(address);
    if (terminal === undefined || this.#deps.people.find(caller, terminal.id) === undefined) {
      const error = `Panel ${address.panelId} has no running terminal; open it first`;
      return { ok: false, code: "terminal_not_ready", error };
    }
    return { ok: true, value: { place: address, terminal } };
  }

  /** Marks the panel as active after input from outside this service. */
  markUsed({ meta: { panel } }: PoolTerminal): void {
    if (panel !== undefined) this.#targets.markUsed(panel);
  }

  write(caller: Caller, target: PanelTarget, text: string): PanelOutcome<WriteResult> {
    const found = this.find(caller, target);
    if (!found.ok) return found;
    const { place: address, terminal } = found.value;
    const bytes = toBytes(text);
    this.#deps.people.type(caller, terminal.id, bytes);
    this.#targets.markUsed(address);
    this.#debug.operation(address, `operation write, ${bytes.length} bytes`);
    return { ok: true, value: { ok: true, ...toPanelIds(address), bytesWritten: bytes.length } };
  }

  /**
   * Returns the bridge's screen of the terminal, or with `client` the screen that an open panel
   * reports.
   */
  async readScreen(
    caller: Caller,
    target: PanelTarget,
    client: { readonly timeoutMs: number } | undefined,
  ): Promise<PanelOutcome<ScreenReadResult>> {
    const found = this.find(caller, target);
    if (!found.ok) return found;
    const { place: address, terminal } = found.value;
    this.#debug.operation(address, "operation read-screen");
    if (client === undefined) {
      const snapshot = toSnapshot(await this.#deps.screens.view(terminal));
      return { ok: true, value: { ...toPanelIds(address), snapshot } };
    }
    const capture = await this.#captures.request(
      toPanelKey(address),
      client.timeoutMs,
      (requestId) => this.#send(address, { type: "terminal_snapshot_request", requestId }),
    );
    if (!capture.ok) return capture;
    return { ok: true, value: { ...toPanelIds(address), snapshot: capture.snapshot } };
  }

  /** Starts the panel's terminal; concurrent calls share one start. */
  async #start(caller: Caller, address: PanelAddress): Promise<void> {
    const key = toPanelKey(address);
    const known = this.#starting.get(key);
    if (known !== undefined) return await known.done;
    const state = { isWanted: true };
    const starting = { want: state, done: this.#startNow(caller, address, state) };
    this.#starting.set(key, starting);
    try {
      return await starting.done;
    } finally {
      this.#starting.delete(key);
    }
  }

  async #startNow(caller: Caller, address: PanelAddress, state: StartState): Promise<void> {
    const { people, pool, settings } = this.#deps;
    const size = this.#sizes.get(toPanelKey(address)) ?? {};
    const command = settings.shell === undefined ? {} : { command: [settings.shell] };
    const opened = await people.open(caller, { ...size, ...command });
    if (!opened.ok) {
      this.#debug.lifecycle(address, `no terminal started: ${JSON.stringify(opened.error)}`);
      return caller.send(this.#encode(address, toErrorStatus(opened.error)));
    }
    const terminal = pool.get(opened.terminal.id);
    if (terminal === undefined) return undefined;
    pool.updateMeta(terminal, { panel: address });
    this.#debug.follow(address, terminal, "started");
    if (!state.isWanted) return void pool.close(terminal, "its panel was closed");
    for (const member of this.#members.listFor(address)) this.#show(member, address, terminal);
    return undefined;
  }

  /** Sends `ready` and attaches the caller to the output. */
  #show(caller: Caller, address: PanelAddress, terminal: PoolTerminal): void {
    const { people, viewers } = this.#deps;
    const viewer = viewers.findByCaller(caller);
    if (viewer === undefined || people.find(caller, terminal.id) === undefined) return;
    const ready = { type: "terminal_status", state: "ready", terminalId: terminal.id } as const;
    caller.send(this.#encode(address, ready));
    const mayType = people.denialReason(caller, "change") === undefined;
    viewers.attach(viewer, terminal, mayType, undefined, "panel");
  }

  #send(address: PanelAddress, payload: PanelPayload): void {
    const message = this.#encode(address, payload);
    for (const member of this.#members.listFor(address)) member.send(message);
  }

  #encode(address: PanelAddress, payload: PanelPayload): string {
    this.#debug.sent(address, payload);
    return this.#deps.encode(address, payload);
  }

  #end(address: PanelAddress, terminal: PoolTerminal, reason: string): void {
    this.#targets.remove(address);
    void this.#deps.pool.close(terminal, reason);
  }

  /** Closes panels of a previous bridge whose connections did not return. */
  #closeAbandoned(): void {
    for (const { terminal, place: address } of this.#running()) {
      if (address.scope !== "connection") continue;
      if (this.#deps.viewers.get(Number(address.scopeId)) !== undefined) continue;
      this.#end(address, terminal, "its connection did not come back");
    }
  }

  #running(): { readonly terminal: PoolTerminal; readonly place: PanelAddress }[] {
    return this.#deps.pool.running().flatMap((terminal) => {
      const { panel } = terminal.meta;
      return panel === undefined ? [] : [{ terminal, place: panel }];
    });
  }

  #findTerminal(address: PanelAddress): PoolTerminal | undefined {
    const key = toPanelKey(address);
    return this.#running().find(
      ({ terminal, place: other }) =>
        toPanelKey(other) === key && terminal.life.state === "running",
    )?.terminal;
  }
}

export function toErrorStatus(message: string): PanelPayload {
  return { type: "terminal_status", state: "error", message };
}

function toPanelIds(address: PanelAddress): Pick<WriteResult, "sessionId" | "panelId"> {
  return { sessionId: findSessionId(address) ?? null, panelId: address.panelId };
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
