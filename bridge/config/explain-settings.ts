// Owns explaining where settings come from, to people and programs.

import { homedir } from "node:os";
import type { LayerName, SettingOutcome, LayerValue } from "./merge-layers.ts";
import { LAYERS } from "./merge-layers.ts";
import type { Configuration } from "./load-configuration.ts";
import { formatSource } from "./load-configuration.ts";
import { formatValue } from "./config-problems.ts";
import type { Setting } from "./setting-shapes.ts";
import { SETTINGS } from "./schema.ts";

const LAYER_LABELS: Readonly<Record<LayerName, string>> = {
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
    readonly leftOut: "not trusted" | "not allowed in a project file" | null;
  }[];
}

export function listExplanations(configuration: Configuration): Explanation[] {
  return SETTINGS.flatMap((setting) => {
    const outcome = configuration.merged.outcomes.find(({ key }) => key === setting.key);
    return outcome === undefined ? [] : [explainOne(configuration, setting, outcome)];
  });
}

/** Formats one setting: its purpose, and its value in each layer. */
export function formatExplanation({ key, about, from, layers }: Explanation): {
  head: string;
  rows: string[][];
} {
  const setting = SETTINGS.find((one) => one.key === key);
  const rows = layers.map(({ layer, source, value, leftOut }) => [
    `  ${layer === from ? "➜" : " "}  ${LAYER_LABELS[layer]}`,
    layer === "default" ? "" : shortenHome(source),
    formatLayerValue(layer, value, setting),
    leftOut === null ? "" : `ignored: ${leftOut}`,
  ]);
  return { head: `${about}\n${formatProjectRule(setting)}`, rows };
}

/** Returns a row per setting: key, value, source. */
export function toExplanationRows(explanations: readonly Explanation[]): string[][] {
  return explanations.map(({ key, value, from, source, layers }) => {
    const setting = SETTINGS.find((one) => one.key === key);
    const leftOut = layers.find((layer) => layer.leftOut !== null)?.leftOut;
    const note = leftOut ? `project file's value ignored: ${leftOut}` : "";
    const where = from === "default" ? "default" : `${LAYER_LABELS[from]}, ${shortenHome(source)}`;
    return [key, formatLayerValue("default", value, setting), where, note];
  });
}

export function formatProjectRule(setting: Setting | undefined): string {
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

function explainOne(
  configuration: Configuration,
  setting: Setting,
  outcome: SettingOutcome,
): Explanation {
  const { trusted } = configuration.project;
  return {
    key: setting.key,
    value: outcome.value ?? null,
    from: outcome.from,
    source: formatSource(configuration, outcome.from, setting),
    about: setting.about,
    layers: LAYERS.filter((layer) => hasLayer(setting, layer)).map((layer) => {
      const layerValue = outcome.layerValues.find((one) => one.layer === layer);
      return {
        layer,
        source: formatSource(configuration, layer, setting),
        value: layerValue?.value ?? null,
        counts: layer === outcome.from,
        leftOut: findLeftOutReason(layerValue, trusted),
      };
    }),
  };
}

function findLeftOutReason(layerValue: LayerValue | undefined, trusted: boolean) {
  if (layerValue?.isForbidden === true) return "not allowed in a project file";
  return layerValue?.needsTrust === true && !trusted ? "not trusted" : null;
}

/** Whether this layer can set it: settings for files only have no flag and no variable. */
function hasLayer({ flag }: Setting, layer: LayerName): boolean {
  return flag !== undefined || (layer !== "flag" && layer !== "environment");
}

/** Shortens the home folder to `~`. */
function shortenHome(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

function formatLayerValue(layer: LayerName, value: unknown, setting: Setting | undefined): string {
  if (value !== null) return formatValue(value);
  if (layer === "default") return (setting?.defaultWords ?? "").replaceAll("`", "");
  return "–";
}
