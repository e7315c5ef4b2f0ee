// Owns what a file from the page is called here: one plain name, whatever it was given as. Pure.

/** Bytes of a name; Linux takes 255, and a number may come behind it. */
const MOST_BYTES = 120;
/** A longer ending is a part of the name. */
const MOST_ENDING = 16;

/** Controls, what turns text around, line ends, what no font shows. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

export function cleanFileName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? "";
  // Composed last: marks that something unseen kept apart are then in their one order.
  const plain = last.replaceAll(UNSEEN, "").normalize("NFC").replaceAll(/\s+/g, " ");
  // Neither hidden, nor an option of whatever command it is typed behind.
  const name = plain.replace(/^[-. ]+/, "").replace(/[. ]+$/, "");
  const { stem, ending } = partsOf(name === "" ? "file" : name);
  return `${cutTo(stem, MOST_BYTES - Buffer.byteLength(ending)).trimEnd()}${ending}`;
}

/** `shot.png`, `shot-2.png`, …: nothing that is there is replaced. */
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

/** Whole characters. */
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
