// Owns suppressing the emulator's answers to terminal queries. The bridge answers each query once; answers of
// every page would arrive in the shell as typed input.

import type { IParser } from "@xterm/xterm";
import type { TerminalQuery } from "../../protocol/terminal-queries.ts";
import {
  isValueQuery,
  includesParameter,
  TERMINAL_QUERIES,
} from "../../protocol/terminal-queries.ts";

/** Swallows queries until the terminal is disposed; passes other sequences on to the emulator. */
export function suppressQueries(parser: IParser): void {
  for (const query of TERMINAL_QUERIES) suppressQuery(parser, query);
}

function suppressQuery(parser: IParser, query: TerminalQuery): void {
  switch (query.kind) {
    case "csi": {
      const { prefix, intermediates, final, queryParameters } = query;
      // xterm rejects an empty prefix.
      const id = prefix === "" ? { intermediates, final } : { prefix, intermediates, final };
      parser.registerCsiHandler(id, ([first]) => includesParameter(queryParameters, Number(first)));
      return;
    }
    case "esc":
      parser.registerEscHandler({ final: query.final }, () => true);
      return;
    case "dcs":
      parser.registerDcsHandler(
        { intermediates: query.intermediates, final: query.final },
        () => true,
      );
      return;
    default:
      // The same OSC commands also set colours: those are passed on.
      parser.registerOscHandler(query.command, isValueQuery);
  }
}
