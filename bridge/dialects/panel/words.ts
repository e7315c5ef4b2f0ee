// Owns the wording of the panel dialect's messages. Pure.

import type { PanelEvent, PanelPayload } from "../../../protocol/panel.ts";
import { PANEL_TYPE } from "../../../protocol/panel.ts";
import type { PanelPlace } from "../../panels/scope.ts";
import { sessionOf } from "../../panels/scope.ts";
import { errorStatus } from "../../panels/service.ts";
import type { ViewerWords } from "../../viewers/words.ts";

/** Clears everything, modes and scrollback too: what follows stands for all that was there. */
const NEW_START = "\u001bc";

/** Of a terminal that has lost its panel. */
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

/** What viewers of a panel are told. `placeOf` knows a terminal's panel. */
export function panelViewerWords(placeOf: (id: string) => PanelPlace | undefined): ViewerWords {
  const place = (id: string) => placeOf(id) ?? NOWHERE;
  return {
    // A resume has no word of its own: output goes on.
    attached: ({ id, history, offset, next }) => {
      if (history === undefined || (history === "" && offset === 0)) return undefined;
      const data = NEW_START + history;
      return panelWords(place(id), { type: "terminal_output", data, offset, next });
    },
    // By hand, because it is on the path of every byte: only `data` needs quoting.
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
