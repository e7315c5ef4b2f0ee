// Owns making an xterm that is safe to show anybody's output in: it answers nothing, counts within
// bounds, keeps its contrast, and opens links in a tab of their own.

import "@xterm/xterm/css/xterm.css";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import type { ITerminalOptions } from "@xterm/xterm";
import { Terminal } from "@xterm/xterm";
import { boundCounts } from "../../protocol/counts.ts";
import { LEAST_CONTRAST, mendInverse } from "./contrast.ts";
import { paintSelectionsOnly } from "./selection-paint.ts";
import { silence } from "./silence.ts";
import { FONT_FAMILY, theme } from "./themes.ts";

export function openTerminal(host: HTMLElement, options: ITerminalOptions): Terminal {
  const term = new Terminal({
    // Unicode versions are still "proposed" in xterm 6.
    allowProposedApi: true,
    fontFamily: FONT_FAMILY,
    minimumContrastRatio: LEAST_CONTRAST,
    theme: theme(),
    ...options,
  });
  term.loadAddon(new Unicode11Addon());
  term.unicode.activeVersion = "11";
  term.loadAddon(
    new WebLinksAddon((_event, uri) => {
      window.open(uri, "_blank", "noopener,noreferrer");
    }),
  );
  silence(term.parser);
  boundCounts(term);
  term.open(host);
  paintSelectionsOnly(term);
  mendInverse(term);
  // A handle for the developer tools and for the browser tests; nothing here reads it.
  Object.assign(host, { terminal: term });
  return term;
}
