// Owns what `plugins.terminal.debug` logs: events of panels and the lifecycle of their terminals. Logs
// sizes, never the text that was typed or printed, which may hold secrets.

import type { PanelPayload, PanelRequestPayload } from "../../protocol/panel.ts";
import type { Log } from "../log.ts";
import type { PoolTerminal } from "../terminals/terminal.ts";
import type { PanelAddress } from "./panel-targets.ts";
import { toPanelKey } from "./panel-targets.ts";

/** Every keystroke is an event; logging all of a paste would make the log useless. */
const MAX_EVENTS_PER_SECOND = 20;

export interface PanelDebugLogDeps {
  readonly isDebugged: boolean;
  readonly log: Pick<Log, "info">;
  readonly now?: () => number;
}

export class PanelDebugLog {
  readonly #isDebugged: boolean;
  readonly #log: Pick<Log, "info">;
  readonly #now: () => number;
  #second = 0;
  #inSecond = 0;
  #skipped = 0;

  constructor({ isDebugged, log, now = Date.now }: PanelDebugLogDeps) {
    this.#isDebugged = isDebugged;
    this.#log = log;
    this.#now = now;
  }

  received(place: PanelAddress, payload: PanelRequestPayload): void {
    if (this.#isDebugged) this.#event(place, `received ${formatRequest(payload)}`);
  }

  sent(place: PanelAddress, payload: PanelPayload): void {
    if (this.#isDebugged) this.#event(place, `sent ${formatPayload(payload)}`);
  }

  /** Logs an HTTP operation, an agent's tool call, or a deleted session. */
  operation(place: PanelAddress, message: string): void {
    if (this.#isDebugged) this.#event(place, message);
  }

  /** Logs without the rate limit: there are only a few of these per terminal. */
  lifecycle(place: PanelAddress, message: string): void {
    if (this.#isDebugged) this.#write(place, message);
  }

  /** Logs that the terminal runs, and later its end. */
  follow(
    place: PanelAddress,
    terminal: PoolTerminal,
    how: "started" | "was running already",
  ): void {
    if (!this.#isDebugged) return;
    const { id, pid, cols, rows } = terminal;
    this.#write(place, `terminal ${id} ${how}: pid ${pid}, ${cols}×${rows}`);
    void terminal.finished.then(() => this.#write(place, formatEnd(terminal)));
  }

  #event(place: PanelAddress, message: string): void {
    const second = Math.floor(this.#now() / 1_000);
    if (second !== this.#second) [this.#second, this.#inSecond] = [second, 0];
    this.#inSecond += 1;
    if (this.#inSecond > MAX_EVENTS_PER_SECOND) this.#skipped += 1;
    else this.#write(place, message);
  }

  #write(place: PanelAddress, message: string): void {
    const skipped = this.#skipped === 0 ? "" : ` (${this.#skipped} events before this not logged)`;
    this.#skipped = 0;
    // Clients choose the names; as JSON they stay on one line.
    const key = JSON.stringify(toPanelKey(place)).slice(1, -1);
    this.#log.info(`panel ${key}: ${message}${skipped}`);
  }
}

function formatRequest(payload: PanelRequestPayload): string {
  switch (payload.type) {
    case "panel_lifecycle":
      return `panel_lifecycle ${payload.state}`;
    case "terminal_input":
      return `terminal_input, ${Buffer.byteLength(payload.text)} bytes`;
    case "terminal_resize":
      return `terminal_resize ${payload.cols}×${payload.rows}`;
    case "terminal_snapshot_response":
    case "terminal_snapshot_error":
    case "panel_session_changed":
      return payload.type;
    default:
      return payload satisfies never;
  }
}

function formatPayload(payload: PanelPayload): string {
  if (payload.type !== "terminal_status") return payload.type;
  const why = payload.state === "error" ? `: ${JSON.stringify(payload.message)}` : "";
  return `terminal_status ${payload.state}${why}`;
}

function formatEnd({ id, life, closeReason, end }: PoolTerminal): string {
  const exit = life.state === "finished" ? life.exit : { exitCode: null, signal: null };
  const how =
    exit.signal === null
      ? `exited with code ${exit.exitCode ?? "unknown"}`
      : `ended by ${exit.signal}`;
  const why = closeReason === undefined ? "" : ` (${closeReason})`;
  return `terminal ${id} ${how}${why}, ${end} bytes printed`;
}
