// Owns how a path is typed for a shell to read it as one word. Pure.

/** What no shell reads anything into, anywhere in a word. */
const PLAIN = /^[\w@%+=:,./-]+$/;

export function quoted(path: string): string {
  return PLAIN.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
