// Owns the arithmetic on samples. Pure.

export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The smallest sample that at least this share of them does not exceed. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const rank = Math.max(0, Math.ceil(sorted.length * share) - 1);
  return sorted[rank] ?? Number.NaN;
}

export function getSpread(samples: readonly number[]): Spread {
  return {
    median: percentile(samples, 0.5),
    least: Math.min(...samples),
    most: Math.max(...samples),
  };
}
