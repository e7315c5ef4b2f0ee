// Owns explaining where settings come from, to people and programs.

import { homedir } from "node:os";
import type { LayerName, Outcome, Word } from "./layers.ts";
import { LAYERS } from "./layers.ts";
import type { Configuration } from "./load.ts";
import { sourceOf } from "./load.ts";
import { shownValue } from "./problems.ts";
import type { Setting } from "./schema.ts";
import { SETTINGS } from "./schema.ts";

const LAYER_WORDS: Readonly<Record<LayerName, string>> = {
  flag: "flag",
  environment: "environment",
  user: "user file",
  project: "project file",
  default: "default",
};

export interface Explanation {
  readonly key: string;
  /** Null if it is determined at the start. */
  readonly value: unknown;
  readonly from: LayerName;
  readonly source: string;
  readonly about: string;
  readonly layers: readonly {
    readonly layer: LayerName;
    readonly source: string;
    /** Null if this layer does not set it. */
    readonly value: unknown;
    readonly counts: boolean;
    readonly leftOut: "not trusted" | "not a project's to say" | null;
  }[];
}

export function explain(configuration: Configuration): Explanation[] {
  return SETTINGS.flatMap((setting) => {
    const outcome = configuration.merged.outcomes.find(({ key }) => key === setting.key);
    return outcome === undefined ? [] : [explainOne(configuration, setting, outcome)];
  });
}

/** Formats one setting: its purpose, and its value in each layer. */
export function explanationText({ key, about, from, layers }: Explanation): {
  head: string;
  rows: string[][];
} {
  const setting = SETTINGS.find((one) => one.key === key);
  const rows = layers.map(({ layer, source, value, leftOut }) => [
    `  ${layer === from ? "➜" : " "}  ${LAYER_WORDS[layer]}`,
    layer === "default" ? "" : short(source),
    said(layer, value, setting),
    leftOut === null ? "" : `ignored: ${leftOut}`,
  ]);
  return { head: `${about}\n${projectWords(setting)}`, rows };
}

/** Returns a row per setting: key, value, source. */
export function explanationRows(explanations: readonly Explanation[]): string[][] {
  return explanations.map(({ key, value, from, source, layers }) => {
    const setting = SETTINGS.find((one) => one.key === key);
    const leftOut = layers.find((layer) => layer.leftOut !== null)?.leftOut;
    const note = leftOut ? `project file's value ignored: ${leftOut}` : "";
    const where = from === "default" ? "default" : `${LAYER_WORDS[from]}, ${short(source)}`;
    return [key, said("default", value, setting), where, note];
  });
}

export function projectWords(setting: Setting | undefined): string {
  switch (setting?.project.may) {
    case "free":
      return "A project file may set it.";
    case "tighten":
      return `A project file may set ${setting.project.how.replaceAll("`", "")}; anything else needs trust: ${setting.project.why}.`;
    case "never":
      return `A project file may set ${setting.project.how.replaceAll("`", "")}, trusted or not: ${setting.project.why}.`;
    case "trust":
      return `In a project file it needs trust: ${setting.project.why}.`;
    case undefined:
      return "";
  }
}

function explainOne(configuration: Configuration, setting: Setting, outcome: Outcome): Explanation {
  const { trusted } = configuration.project;
  return {
    key: setting.key,
    value: outcome.value ?? null,
    from: outcome.from,
    source: sourceOf(configuration, outcome.from, setting),
    about: setting.about,
    layers: LAYERS.filter((layer) => hasLayer(setting, layer)).map((layer) => {
      const word = outcome.words.find((one) => one.layer === layer);
      return {
        layer,
        source: sourceOf(configuration, layer, setting),
        value: word?.value ?? null,
        counts: layer === outcome.from,
        leftOut: whyLeftOut(word, trusted),
      };
    }),
  };
}

function whyLeftOut(word: Word | undefined, trusted: boolean) {
  if (word?.isForbidden === true) return "not a project's to say";
  return word?.wantsTrust === true && !trusted ? "not trusted" : null;
}

/** Whether this layer can set it: settings for files only have no flag and no variable. */
function hasLayer({ flag }: Setting, layer: LayerName): boolean {
  return flag !== undefined || (layer !== "flag" && layer !== "environment");
}

/** Shortens the home folder to `~`. */
function short(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

function said(layer: LayerName, value: unknown, setting: Setting | undefined): string {
  if (value !== null) return shownValue(value);
  if (layer === "default") return (setting?.defaultWords ?? "").replaceAll("`", "");
  return "–";
}
