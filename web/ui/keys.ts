// Owns the page's keyboard shortcuts: Alt with a key that browsers let through. Everything else
// belongs to the terminal.

export type Shortcut =
  | { do: "new" }
  | { do: "close" }
  | { do: "help" }
  /** Take over, or hand over. */
  | { do: "drive" }
  /** Out of the terminal, which keeps the Tab key for itself. */
  | { do: "tabs" }
  | { do: "step"; by: 1 | -1 }
  | { do: "pick"; number: number };

export interface Help {
  readonly keys: readonly string[];
  readonly text: string;
}

export const SHORTCUTS: readonly Help[] = [
  { keys: ["Alt", "N"], text: "Open a terminal" },
  { keys: ["Alt", "W"], text: "Close this terminal" },
  { keys: ["Alt", "1 … 9"], text: "Go to a terminal by its number" },
  { keys: ["Alt", "← →"], text: "Previous and next terminal" },
  { keys: ["Alt", "O"], text: "Take over the terminal, or hand it to who asks" },
  { keys: ["Alt", "0"], text: "Leave the terminal for the tabs" },
  { keys: ["Ctrl", "Shift", "C"], text: "Copy the selection" },
  { keys: ["Ctrl", "Shift", "V"], text: "Paste" },
  { keys: ["Alt", "/"], text: "This help" },
];

type Pressed = Pick<KeyboardEvent, "altKey" | "ctrlKey" | "metaKey" | "shiftKey" | "key" | "code">;

export function shortcutOf(event: Pressed): Shortcut | undefined {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return undefined;
  if (event.key === "ArrowLeft") return { do: "step", by: -1 };
  if (event.key === "ArrowRight") return { do: "step", by: 1 };
  const digit = /^Digit(\d)$/.exec(event.code)?.[1];
  if (digit === "0") return { do: "tabs" };
  if (digit !== undefined) return { do: "pick", number: Number(digit) };
  switch (letterOf(event)) {
    case "n":
      return { do: "new" };
    case "w":
      return { do: "close" };
    case "o":
      return { do: "drive" };
    case "/":
      return { do: "help" };
    default:
      return undefined;
  }
}

/** The letter on the key: macOS composes another with Alt, so the key's place stands in for it. */
function letterOf({ key, code }: Pressed): string {
  if (/^[a-z/]$/i.test(key)) return key.toLowerCase();
  return code === "Slash" ? "/" : code.replace(/^Key/, "").toLowerCase();
}
