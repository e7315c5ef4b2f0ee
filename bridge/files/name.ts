// Owns the local name of a file from the page: one plain file name, whatever the page sent. Pure.

/** Bytes of a name: Linux allows 255, and a number may be appended. */
const MOST_BYTES = 120;
/** Bytes of an extension; a longer one counts as part of the name. */
const MOST_ENDING = 16;

/** Control, bidi, line-end and invisible characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

export function cleanFileName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? "";
  // Normalized last: combining marks that invisible characters separated are then in canonical
  // order.
  const plain = last.replaceAll(UNSEEN, "").normalize("NFC").replaceAll(/\s+/g, " ");
  // Neither a hidden file nor an option of the command it is typed after.
  const name = plain.replace(/^[-. ]+/, "").replace(/[. ]+$/, "");
  const { stem, ending } = partsOf(name === "" ? "file" : name);
  return `${cutTo(stem, MOST_BYTES - Buffer.byteLength(ending)).trimEnd()}${ending}`;
}

/** Returns `shot.png`, `shot-2.png`, …: existing files are never replaced. */
export function numbered(name: string, number: number): string {
  if (number === 1) return name;
  const { stem, ending } = partsOf(name);
  return `${stem}-${number}${ending}`;
}

function partsOf(name: string): { readonly stem: string; readonly ending: string } {
  const dot = name.lastIndexOf(".");
  const isEnding = dot > 0 && Buffer.byteLength(name.slice(dot)) <= MOST_ENDING;
  return isEnding
    ? { stem: name.slice(0, dot), ending: name.slice(dot) }
    : { stem: name, ending: "" };
}

/** Cuts text to a number of bytes, at a character boundary. */
function cutTo(text: string, bytes: number): string {
  let left = bytes;
  let cut = "";
  for (const character of text) {
    left -= Buffer.byteLength(character);
    if (left < 0) break;
    cut += character;
  }
  return cut;
}
