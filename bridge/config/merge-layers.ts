// Owns which layer wins: flags over environment over the user's file over the project's file over
// the default, and which values of a project's file count before it is trusted. Pure.

import type { Setting, SettingKey } from "./setting-shapes.ts";
import { SETTINGS } from "./schema.ts";
import { SettingValues } from "./setting-shapes.ts";

/** In order of precedence. */
export const LAYERS = ["flag", "environment", "user", "project", "default"] as const;
export type LayerName = (typeof LAYERS)[number];

export type Layers = Readonly<Record<Exclude<LayerName, "default">, SettingValues>>;

/** The value of one setting in one layer. */
export interface LayerValue {
  readonly layer: LayerName;
  readonly value: unknown;
  /** Whether it is in a project's file and needs trust. */
  readonly needsTrust: boolean;
  /** Whether it is in a project's file that may not set it, trusted or not. */
  readonly isForbidden: boolean;
}

export interface SettingOutcome {
  readonly key: SettingKey;
  readonly value: unknown;
  readonly from: LayerName;
  /** All layers that set it, strongest first; the default is always included. */
  readonly layerValues: readonly LayerValue[];
  /** Whether a stronger value was ignored because the project's file is not trusted. */
  readonly isMissed: boolean;
}

export interface MergedSettings {
  readonly values: SettingValues;
  readonly outcomes: readonly SettingOutcome[];
}

export function mergeLayers(layers: Layers, trusted: boolean): MergedSettings {
  const outcomes = SETTINGS.map((setting) => decideSetting(setting, layers, trusted));
  const entries = outcomes.map(({ key, value }) => [key, value] as const);
  const set = entries.filter(([, value]) => value !== undefined);
  return { values: SettingValues.parse(Object.fromEntries(set)), outcomes };
}

/** Whether a project's file needs trust to set this value. */
export function needsTrust({ project, default: usual }: Setting, value: unknown): boolean {
  if (JSON.stringify(value) === JSON.stringify(usual)) return false;
  switch (project.may) {
    case "free":
    case "never":
      return false;
    case "tighten":
      return !project.isNoWider(value);
    case "trust":
      return true;
  }
}

/** Whether no project's file may set this value. */
function isForbidden({ project }: Setting, value: unknown): boolean {
  return project.may === "never" && !project.isNoWider(value);
}

/** Returns the settings of a project's file that need trust. */
export function listNeedingTrust(project: SettingValues): { setting: Setting; value: unknown }[] {
  return SETTINGS.flatMap((setting) => {
    const value = project[setting.key];
    return value !== undefined && needsTrust(setting, value) ? [{ setting, value }] : [];
  });
}

function decideSetting(setting: Setting, layers: Layers, trusted: boolean): SettingOutcome {
  const layerValues: LayerValue[] = LAYERS.flatMap((layer) => {
    const value = layer === "default" ? setting.default : layers[layer][setting.key];
    if (value === undefined && layer !== "default") return [];
    const isProject = layer === "project";
    return [
      {
        layer,
        value,
        needsTrust: isProject && needsTrust(setting, value),
        isForbidden: isProject && isForbidden(setting, value),
      },
    ];
  });
  const allowed = layerValues.filter((layerValue) => !layerValue.isForbidden);
  const winner = allowed.find((layerValue) => trusted || !layerValue.needsTrust);
  return {
    key: setting.key,
    value: winner?.value,
    from: winner?.layer ?? "default",
    layerValues,
    isMissed: allowed[0] !== winner,
  };
}
