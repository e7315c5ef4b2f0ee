// Owns keeping an emulator from answering. Programs ask terminals what they are and how they stand;
// the bridge answers, once, whoever looks on. An answer of each page would be typed into the shell.

import type { IParser } from "@xterm/xterm";
import type { TerminalQuery } from "../../protocol/terminal-queries.ts";
import { asksValue, includesParameter, TERMINAL_QUERIES } from "../../protocol/terminal-queries.ts";

/** Until the terminal is disposed. What is no query goes on to the emulator. */
export function silence(parser: IParser): void {
  for (const query of TERMINAL_QUERIES) swallow(parser, query);
}

function swallow(parser: IParser, query: TerminalQuery): void {
  switch (query.kind) {
    case "csi": {
      const { prefix, intermediates, final, asks } = query;
      // xterm takes no empty prefix.
      const id = prefix === "" ? { intermediates, final } : { prefix, intermediates, final };
      parser.registerCsiHandler(id, ([first]) => includesParameter(asks, Number(first)));
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
      // The same commands set colours.
      parser.registerOscHandler(query.command, asksValue);
  }
}
