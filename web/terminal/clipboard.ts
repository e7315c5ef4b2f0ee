// Owns the way from the page to the clipboard, and what programs may ask of it (OSC 52).

/** Characters that a program may put there; as much as most terminals take. */
export const MOST_COPIED_CHARS = 100_000;

/** The newer API needs a secure context, which an address in a local network is not. */
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

export type ClipboardWish =
  | { readonly wants: "write"; readonly text: string }
  | { readonly wants: "read"; readonly which: string }
  | { readonly wants: "nothing"; readonly why: "too long" | "unreadable" };

/** What stands behind `OSC 52 ;`. */
export function wishOf(values: string): ClipboardWish {
  const [, which = "", data = ""] = /^([a-z0-9]*);(.*)$/s.exec(values) ?? [];
  if (data === "?") return { wants: "read", which: which || "c" };
  // Four signs for three bytes, and a character is one byte or more.
  if (data.length > MOST_COPIED_CHARS * 4) return { wants: "nothing", why: "too long" };
  try {
    const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (text === "") return { wants: "nothing", why: "unreadable" };
    if (text.length > MOST_COPIED_CHARS) return { wants: "nothing", why: "too long" };
    return { wants: "write", text };
  } catch {
    // Neither base64 nor UTF-8.
    return { wants: "nothing", why: "unreadable" };
  }
}

/** The answer to a program that asked, as a terminal gives it. */
export function clipboardAnswer(which: string, text: string): string {
  const bytes = new TextEncoder().encode(text.slice(0, MOST_COPIED_CHARS));
  const binary = Array.from(bytes, (byte) => String.fromCodePoint(byte)).join("");
  return `\u001B]52;${which};${btoa(binary)}\u001B\\`;
}
