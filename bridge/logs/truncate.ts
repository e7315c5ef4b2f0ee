// Truncates texts that are too long for a log line. Pure.

export function truncate(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}… (${text.length} characters)`;
}
