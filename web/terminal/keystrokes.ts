// Owns the bytes of keys, as far as the page itself has to know them. Pure.

const ESC = "\u001B";

/** Focus gained and lost; mouse reports in the three encodings that travel as text. */
const REPORT = new RegExp(`^${ESC}\\[(?:[IO]|<\\d+;\\d+;\\d+[Mm]|\\d+;\\d+;\\d+M|M[^]{3})$`);

/** Whether the emulator says this by itself, because the person looked or pointed, not typed. */
export function isReport(data: string): boolean {
  return REPORT.test(data);
}

/** The same key with Ctrl held; what has no such form stays as it is. */
export function controlOf(data: string): string {
  if (data === " ") return "\0";
  if (data === "?") return "\u007F";
  return /^[a-z@[\\\]^_]$/i.test(data)
    ? String.fromCodePoint(data.toUpperCase().charCodeAt(0) & 0x1f)
    : data;
}

export type Arrow = "up" | "down" | "left" | "right";

const FINAL: Readonly<Record<Arrow, string>> = { up: "A", down: "B", right: "C", left: "D" };

/** Programs may ask for another form of the arrows. */
export function arrowOf(arrow: Arrow, application: boolean, ctrl: boolean): string {
  if (ctrl) return `${ESC}[1;5${FINAL[arrow]}`;
  return `${ESC}${application ? "O" : "["}${FINAL[arrow]}`;
}
