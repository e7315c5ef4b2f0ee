// Owns the environment of terminals' processes: the user's own, without pairpty's variables and
// those of npm, plus the variables of a terminal.

import { removeNpmVariables } from "./without-npm.ts";

/** Variables that describe the terminal pairpty was started in, not the new one. */
const STALE: ReadonlySet<string> = new Set([
  "COLUMNS",
  "LINES",
  "TMUX",
  "TMUX_PANE",
  "STY",
  "WINDOWID",
  "TERM_PROGRAM_VERSION",
]);

export function buildChildEnvironment(
  base: NodeJS.ProcessEnv,
  extra: Readonly<Record<string, string>>,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...removeNpmVariables(base), ...extra })) {
    if (value === undefined || name.startsWith("PAIRPTY_")) continue;
    if (STALE.has(name) && !(name in extra)) continue;
    env[name] = value;
  }
  env["TERM"] = extra["TERM"] ?? "xterm-256color";
  env["COLORTERM"] = extra["COLORTERM"] ?? "truecolor";
  env["TERM_PROGRAM"] = "pairpty";
  return env;
}
