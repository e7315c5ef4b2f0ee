// Owns panels: when their terminals start and end, which clients get their events, and operations on
// them. A panel's terminal is an ordinary user's terminal: opening, typing and closing go through the
// people's service. Which panel has which terminal is in panel-terminals.ts.

import type { PanelPayload, PanelRequestPayload, TerminalSnapshot } from "../../protocol/panel.ts";
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
import type { PanelOutcome, ScreenReadResult, WriteResult } from "./panel-results.ts";
import { toErrorStatus, toPanelIds, toSnapshot } from "./panel-results.ts";
import type { Size } from "./panel-terminals.ts";
import { PanelTerminals } from "./panel-terminals.ts";
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

/** After a takeover, a connection that is still in the room has returned by then. */
const RETURN_MS = 60_000;

export class Panels {
  readonly #deps: PanelsDeps;
  readonly #members = new SessionMembers();
  readonly #targets = new PanelTargets();
  readonly #captures = new ScreenCaptures();
  readonly #debug: PanelDebugLog;
  readonly #terminals: PanelTerminals;
  readonly #sweep: NodeJS.Timeout;

  constructor(deps: PanelsDeps) {
    this.#deps = deps;
    this.#debug = new PanelDebugLog({ ...deps.settings, log: deps.log });
    this.#terminals = new PanelTerminals({
      pool: deps.pool,
      people: deps.people,
      shell: deps.settings.shell,
      onStarted: (address, terminal, isWanted) => {
        this.#debug.follow(address, terminal, "started");
        if (!isWanted) return;
        for (const member of this.#members.listFor(address)) this.#show(member, address, terminal);
      },
      onFailed: (caller, address, error) => {
        this.#debug.lifecycle(address, `no terminal started: ${JSON.stringify(error)}`);
        caller.send(this.#encode(address, toErrorStatus(error)));
      },
    });
    for (const { terminal, place: address } of this.#terminals.running()) {
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
    for (const { terminal, place: address } of this.#terminals.running()) {
      if (findSessionId(address) === session) this.#show(caller, address, terminal);
    }
  }

  removeCaller(caller: Caller): void {
    const connection = this.#members.removeCaller(caller);
    for (const { terminal, place: address } of this.#terminals.running()) {
      if (address.scope !== "connection" || address.scopeId !== connection) continue;
      this.#end(address, terminal, "its connection has ended");
    }
  }

  async open(caller: Caller, address: PanelAddress): Promise<void> {
    this.#targets.markUsed(address);
    const terminal = this.#terminals.find(address);
    if (terminal === undefined) await this.#terminals.start(caller, address);
    else this.#show(caller, address, terminal);
  }

  async close(caller: Caller, address: PanelAddress): Promise<void> {
    this.#targets.remove(address);
    this.#terminals.forget(address);
    const terminal = this.#terminals.find(address);
    if (terminal !== undefined) await this.#deps.people.close(caller, terminal);
  }

  /** Types text; starts the panel's terminal if there is none. */
  async input(caller: Caller, address: PanelAddress, text: string): Promise<void> {
    this.#targets.markUsed(address);
    if (this.#terminals.find(address) === undefined) await this.#terminals.start(caller, address);
    const terminal = this.#terminals.find(address);
    const viewer = this.#deps.viewers.findByCaller(caller);
    if (terminal === undefined || viewer === undefined) return;
    this.#deps.people.type(caller, terminal.id, toBytes(text), { viewer });
  }

  resize(caller: Caller, address: PanelAddress, size: Size): void {
    const cols = Math.max(MIN_CELLS, size.cols);
    const rows = Math.max(MIN_CELLS, size.rows);
    this.#terminals.setSize(address, { cols, rows });
    const terminal = this.#terminals.find(address);
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
    const affected = this.#terminals
      .running()
      .filter(({ place: address }) => findSessionId(address) === session);
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
    const running = this.#terminals.running().map(({ place: address }) => address);
    const found = this.#targets.find(target, running);
    if (!found.ok) return found;
    const { place: address } = found;
    const terminal = this.#terminals.find(address);
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
    for (const { terminal, place: address } of this.#terminals.running()) {
      if (address.scope !== "connection") continue;
      if (this.#deps.viewers.get(Number(address.scopeId)) !== undefined) continue;
      this.#end(address, terminal, "its connection did not come back");
    }
  }
}
