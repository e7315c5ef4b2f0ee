// Owns how grave a line of workerd's is: its own complaints, and what the Worker writes as errors.

import type { LineLevel } from "../logs/levels.ts";

export function lineLevel(line: string): LineLevel {
  return /\berror\b|exception|failed/i.test(line) ? "warn" : "info";
}
