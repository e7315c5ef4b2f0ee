// Owns quoting a path so that a shell reads it as one word. Pure.

/** Characters without a special meaning in any shell. */
const PLAIN = /^[\w@%+=:,./-]+$/;

export function quotePath(path: string): string {
  return PLAIN.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
