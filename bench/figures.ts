// Owns the shape of what a run found out: rows of figures by chain, with ratios and targets. Pure.

import type { Spread } from "./statistics.ts";
import { percentile, getSpread } from "./statistics.ts";

export interface Figure {
  readonly value: number;
  readonly least?: number;
  readonly most?: number;
  /** Somebody gave up waiting at this value. */
  readonly more?: boolean;
}

export interface Row {
  /** Stable, for the charts. */
  readonly id: string;
  readonly what: string;
  readonly unit: string;
  /** By the chain's name. */
  readonly figures: Readonly<Record<string, Figure>>;
  /** Product to bare, within the rounds of this run. */
  readonly ratio?: Spread;
  readonly target?: Target;
  /** For the plots of growth. */
  readonly at?: { readonly count: number; readonly of: "viewers" | "terminals" };
  readonly note?: string;
}

export interface Target {
  readonly words: string;
  /** Undefined when there was nothing to judge. */
  readonly met: boolean | undefined;
}

export interface Section {
  readonly name: string;
  readonly rows: readonly Row[];
}

/** By chain, one value a round. */
export type Rounds = ReadonlyMap<string, readonly number[]>;

export function toFigure(samples: readonly number[]): Figure {
  const { median, least, most } = getSpread(samples);
  return { value: median, least, most };
}

export function summarize(rounds: Rounds): Record<string, Figure> {
  const some = [...rounds].filter(([, samples]) => samples.length > 0);
  return Object.fromEntries(some.map(([chain, samples]) => [chain, toFigure(samples)]));
}

/** Of each round's two values; undefined when one of the two has none. */
export function getRatio(rounds: Rounds, over = "product", under = "bare"): Spread | undefined {
  const [a = [], b = []] = [rounds.get(over), rounds.get(under)];
  const ratios = a.slice(0, b.length).map((value, round) => value / (b[round] ?? Number.NaN));
  return ratios.length === 0 ? undefined : getSpread(ratios);
}

export function atMost(limit: number, value: number | undefined, words: string): Target {
  return { words, met: judged(value) ? value <= limit : undefined };
}

export function atLeast(limit: number, value: number | undefined, words: string): Target {
  return { words, met: judged(value) ? value >= limit : undefined };
}

/** Several conditions on one row: missed when one is. */
export function all(...targets: readonly Target[]): Target {
  const mets = new Set(targets.map(({ met }) => met));
  const words = targets.map((target) => target.words).join(", ");
  if (mets.has(false)) return { words, met: false };
  return { words, met: mets.has(undefined) ? undefined : true };
}

export function p(share: number, samples: readonly number[]): number {
  return percentile(samples, share);
}

function judged(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value);
}
