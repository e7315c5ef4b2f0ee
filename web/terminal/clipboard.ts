// Owns copying to the clipboard, and the format of programs' clipboard requests (OSC 52).

/** Characters that a program may copy; the limit of most terminals. */
export const MAX_COPIED_CHARS = 100_000;

/** Copies text; falls back to execCommand, since the Clipboard API needs a secure context and a LAN address is none. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByCommand(text);
  }
}

function copyByCommand(text: string): boolean {
  let isSet = false;
  const fill = (event: ClipboardEvent): void => {
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
    event.stopImmediatePropagation();
    isSet = true;
  };
  document.addEventListener("copy", fill, { capture: true });
  try {
    return document.execCommand("copy") && isSet;
  } finally {
    document.removeEventListener("copy", fill, { capture: true });
  }
}

export type ClipboardRequest =
  | { readonly wants: "write"; readonly text: string }
  | { readonly wants: "read"; readonly which: string }
  | { readonly wants: "nothing"; readonly why: "too long" | "unreadable" };

/** Parses the payload of `OSC 52 ;`. */
export function parseClipboardRequest(values: string): ClipboardRequest {
  const [, which = "", data = ""] = /^([a-z0-9]*);(.*)$/s.exec(values) ?? [];
  if (data === "?") return { wants: "read", which: which || "c" };
  // Base64 has 4 characters per 3 bytes, and a character has at most 3 bytes per UTF-16 unit.
  if (data.length > MAX_COPIED_CHARS * 4) return { wants: "nothing", why: "too long" };
  try {
    const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (text === "") return { wants: "nothing", why: "unreadable" };
    if (text.length > MAX_COPIED_CHARS) return { wants: "nothing", why: "too long" };
    return { wants: "write", text };
  } catch {
    // The text is not base64, or not UTF-8.
    return { wants: "nothing", why: "unreadable" };
  }
}

/** Encodes the clipboard's text as the terminal's answer to a read request. */
export function encodeClipboardAnswer(which: string, text: string): string {
  const bytes = new TextEncoder().encode(text.slice(0, MAX_COPIED_CHARS));
  const binary = Array.from(bytes, (byte) => String.fromCodePoint(byte)).join("");
  return `\u001B]52;${which};${btoa(binary)}\u001B\\`;
}
