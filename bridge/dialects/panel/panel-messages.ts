// Owns encoding the panel dialect's messages. Pure.

import type { PanelEvent, PanelPayload } from "../../../protocol/panel.ts";
import { PANEL_TYPE } from "../../../protocol/panel.ts";
import type { PanelAddress } from "../../panels/panel-address.ts";
import { findSessionId } from "../../panels/panel-address.ts";
import { toErrorStatus } from "../../panels/panels.ts";
import type { ViewerMessages } from "../../viewers/viewer-messages.ts";

/** Resets the terminal with modes and scrollback: the data that follows replaces everything. */
const RESET_SEQUENCE = "\u001bc";

/** Stands for the panel of a terminal that no longer has one. */
const NO_PANEL: PanelAddress = { panelId: "", scope: "connection", scopeId: "" };

export function encodePanelEvent(place: PanelAddress, payload: PanelPayload): string {
  return JSON.stringify({ ...toEnvelope(place), payload } satisfies PanelEvent);
}

function toEnvelope(place: PanelAddress): Omit<PanelEvent, "payload"> {
  const sessionId = findSessionId(place);
  return {
    type: "panel_event",
    panelId: place.panelId,
    panelType: PANEL_TYPE,
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}

/** Returns the encoder for viewers of panels; `findPlace` finds a terminal's panel. */
export function toPanelViewerMessages(
  findPlace: (id: string) => PanelAddress | undefined,
): ViewerMessages {
  const place = (id: string) => findPlace(id) ?? NO_PANEL;
  return {
    // A resume needs no message: output continues.
    attached: ({ id, history, offset, next }) => {
      if (history === undefined || (history === "" && offset === 0)) return undefined;
      const data = RESET_SEQUENCE + history;
      return encodePanelEvent(place(id), { type: "terminal_output", data, offset, next });
    },
    // Encoded by hand, since this runs for every chunk of output: only `data` needs quoting.
    output: (id) => {
      const head = JSON.stringify(toEnvelope(place(id))).slice(0, -1);
      return (text, offset, next) =>
        `${head},"payload":{"type":"terminal_output","data":${JSON.stringify(text)},"offset":${offset},"next":${next}}}`;
    },
    exit: (id, exit) =>
      encodePanelEvent(place(id), { type: "terminal_status", state: "closed", ...exit }),
    resized: () => undefined,
    driver: () => undefined,
    error: (_code, sentence, id) => encodePanelEvent(place(id ?? ""), toErrorStatus(sentence)),
  };
}
