// Owns keeping an emulator from answering. Programs ask terminals what they are and how they stand;
// the bridge answers, once, whoever looks on. An answer of each page would be typed into the shell.

import type { IParser } from "@xterm/xterm";

/** Reports of sizes, positions and titles among the window commands; the others change something. */
const REPORTS: ReadonlySet<unknown> = new Set([11, 13, 14, 15, 16, 18, 19, 20, 21]);

const swallow = (): boolean => true;

/** Until the terminal is disposed. What is no query goes on to the emulator. */
export function silence(parser: IParser): void {
  // Device attributes and version.
  for (const prefix of ["", ">", "="]) parser.registerCsiHandler(csi(prefix, "c"), swallow);
  parser.registerCsiHandler(csi(">", "q"), swallow);
  // Status and cursor position.
  for (const prefix of ["", "?"]) {
    parser.registerCsiHandler(csi(prefix, "n"), swallow);
    // Whether a mode is set.
    parser.registerCsiHandler({ ...csi(prefix, "p"), intermediates: "$" }, swallow);
  }
  // Which keyboard protocol.
  parser.registerCsiHandler(csi("?", "u"), swallow);
  parser.registerCsiHandler({ final: "t" }, ([command]) => REPORTS.has(command));
  // Colours: the same commands set them.
  for (const command of [4, 10, 11, 12])
    parser.registerOscHandler(command, (data) => data.split(";").includes("?"));
  // Settings and capabilities.
  for (const intermediates of ["$", "+"])
    parser.registerDcsHandler({ intermediates, final: "q" }, swallow);
}

function csi(prefix: string, final: string) {
  return prefix === "" ? { final } : { prefix, final };
}
