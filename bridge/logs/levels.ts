// Owns how grave a log line can be.

export const LINE_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LineLevel = (typeof LINE_LEVELS)[number];
