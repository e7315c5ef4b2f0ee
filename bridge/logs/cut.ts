// Owns how a text that is too long for a line of a log is cut. Pure.

export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}… (${text.length} characters)`;
}
