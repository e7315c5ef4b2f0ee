// Owns encoding the panel dialect's messages. Pure.

import type { PanelEvent, PanelPayload } from "../../../protocol/panel.ts";
import { PANEL_TYPE } from "../../../protocol/panel.ts";
import type { PanelPlace } from "../../panels/scope.ts";
import { sessionOf } from "../../panels/scope.ts";
import { errorStatus } from "../../panels/service.ts";
import type { ViewerWords } from "../../viewers/words.ts";

/** Resets the terminal with modes and scrollback: the data that follows replaces everything. */
const NEW_START = "\u001bc";

/** Stands for the panel of a terminal that no longer has one. */
const NOWHERE: PanelPlace = { panelId: "", scope: "connection", scopeId: "" };

export function panelWords(place: PanelPlace, payload: PanelPayload): string {
  return JSON.stringify({ ...envelopeOf(place), payload } satisfies PanelEvent);
}

function envelopeOf(place: PanelPlace): Omit<PanelEvent, "payload"> {
  const sessionId = sessionOf(place);
  return {
    type: "panel_event",
    panelId: place.panelId,
    panelType: PANEL_TYPE,
    ...(sessionId === undefined ? {} : { sessionId }),
  };
}

/** Returns the encoder for viewers of panels; `placeOf` finds a terminal's panel. */
export function panelViewerWords(placeOf: (id: string) => PanelPlace | undefined): ViewerWords {
  const place = (id: string) => placeOf(id) ?? NOWHERE;
  return {
    // A resume needs no message: output continues.
    attached: ({ id, history, offset, next }) => {
      if (history === undefined || (history === "" && offset === 0)) return undefined;
      const data = NEW_START + history;
      return panelWords(place(id), { type: "terminal_output", data, offset, next });
    },
    // Encoded by hand, since this runs for every chunk of output: only `data` needs quoting.
    output: (id) => {
      const head = JSON.stringify(envelopeOf(place(id))).slice(0, -1);
      return (text, offset, next) =>
        `${head},"payload":{"type":"terminal_output","data":${JSON.stringify(text)},"offset":${offset},"next":${next}}}`;
    },
    exit: (id, exit) =>
      panelWords(place(id), { type: "terminal_status", state: "closed", ...exit }),
    resized: () => undefined,
    driver: () => undefined,
    error: (_code, sentence, id) => panelWords(place(id ?? ""), errorStatus(sentence)),
  };
}
