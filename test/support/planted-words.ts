// Owns the search for planted words in recorded traffic: as they are, and in base64 and hex wherever
// in the encoded bytes they stand.

/** What was planted, by what it is. */
export type PlantedWords = Readonly<Record<string, string>>;

/** Returns what of the words the bytes have in any form, by name. */
export function findPlanted(bytes: Buffer, words: PlantedWords): string[] {
  const found = Object.entries(words).filter(([, word]) =>
    listForms(word).some((form) => bytes.includes(form)),
  );
  return found.map(([name]) => name);
}

function listForms(word: string): string[] {
  const bytes = Buffer.from(word);
  const base64 = [0, 1, 2].map((offset) => encodeAligned(bytes, offset));
  const urlSafe = base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"));
  return [word, ...base64, ...urlSafe, bytes.toString("hex")];
}

/**
 * Returns the base64 that the word has `offset` bytes behind the start of a group, without the
 * characters that also depend on its neighbours.
 */
function encodeAligned(word: Buffer, offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), word]).toString("base64");
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor(((offset + word.length) * 8) / 6);
  return encoded.slice(first, last);
}
