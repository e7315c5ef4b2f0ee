// Owns the local name of a file from the page: one plain file name, whatever the page sent. Pure.

/** Bytes of a name: Linux allows 255, and a number may be appended. */
const MAX_NAME_BYTES = 120;
/** Bytes of an extension; a longer one counts as part of the name. */
const MAX_EXTENSION_BYTES = 16;

/** Control, bidi, line-end and invisible characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

export function cleanFileName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? "";
  // Normalized last: combining marks that invisible characters separated are then in canonical
  // order.
  const plain = last.replaceAll(INVISIBLE, "").normalize("NFC").replaceAll(/\s+/g, " ");
  // The name must look neither like a hidden file nor like an option of the command before it.
  const name = plain.replace(/^[-. ]+/, "").replace(/[. ]+$/, "");
  const { stem, ending } = splitExtension(name === "" ? "file" : name);
  return `${truncateToBytes(stem, MAX_NAME_BYTES - Buffer.byteLength(ending)).trimEnd()}${ending}`;
}

/** Returns `shot.png`, `shot-2.png`, …: existing files are never replaced. */
export function withNumber(name: string, number: number): string {
  if (number === 1) return name;
  const { stem, ending } = splitExtension(name);
  return `${stem}-${number}${ending}`;
}

function splitExtension(name: string): { readonly stem: string; readonly ending: string } {
  const dot = name.lastIndexOf(".");
  const isExtension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= MAX_EXTENSION_BYTES;
  return isExtension
    ? { stem: name.slice(0, dot), ending: name.slice(dot) }
    : { stem: name, ending: "" };
}

/** Cuts text to a number of bytes, at a character boundary. */
function truncateToBytes(text: string, bytes: number): string {
  let left = bytes;
  let cut = "";
  for (const character of text) {
    left -= Buffer.byteLength(character);
    if (left < 0) break;
    cut += character;
  }
  return cut;
}
