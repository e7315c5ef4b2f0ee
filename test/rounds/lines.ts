// Owns the judgement of what a viewer showed. Pure.

/** Undefined when the lines 1 to `count` are there, each once and in order; else what is wrong. */
export function wrongLine(text: string, count: number): string | undefined {
  const lines = text.split(/\r?\n/).filter((line) => /^\d+$/.test(line));
  const wrong = lines.findIndex((line, index) => Number(line) !== index + 1);
  const found = `${lines.length} of ${count} lines`;
  if (wrong >= 0) return `${found}; ${lines[wrong]} stands where ${wrong + 1} should`;
  return lines.length === count ? undefined : found;
}
