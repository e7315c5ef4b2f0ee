// Owns the log level of a line that workerd prints: its own complaints and the Worker's errors are
// warnings, the rest is info.

import type { LineLevel } from "../logs/levels.ts";

export function lineLevel(line: string): LineLevel {
  return /\berror\b|exception|failed/i.test(line) ? "warn" : "info";
}
