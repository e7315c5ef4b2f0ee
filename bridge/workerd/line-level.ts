// Decides the log level of a line that workerd prints: errors of workerd and the Worker are warnings,
// the rest is info.

import type { LineLevel } from "../logs/levels.ts";

export function getLineLevel(line: string): LineLevel {
  return /\berror\b|exception|failed/i.test(line) ? "warn" : "info";
}
