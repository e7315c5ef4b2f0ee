// Owns the forms of answers about panels: outcomes of operations, status messages and snapshots. Pure.

import type { PanelErrorCode, PanelPayload, TerminalSnapshot } from "../../protocol/panel.ts";
import type { ScreenView } from "../screens/screen-view.ts";
import type { PanelAddress } from "./panel-targets.ts";
import { findSessionId } from "./panel-targets.ts";

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

export function toErrorStatus(message: string): PanelPayload {
  return { type: "terminal_status", state: "error", message };
}

export function toPanelIds(address: PanelAddress): Pick<WriteResult, "sessionId" | "panelId"> {
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
