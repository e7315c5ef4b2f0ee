// Owns which layer wins: flags over environment over the user's file over the project's file over
// the default, and which values of a project's file count before it is trusted. Pure.

import type { Setting, SettingKey } from "./schema.ts";
import { SETTINGS, Values } from "./schema.ts";

/** In order of precedence. */
export const LAYERS = ["flag", "environment", "user", "project", "default"] as const;
export type LayerName = (typeof LAYERS)[number];

export type Layers = Readonly<Record<Exclude<LayerName, "default">, Values>>;

/** The value of one setting in one layer. */
export interface Word {
  readonly layer: LayerName;
  readonly value: unknown;
  /** Whether it is in a project's file and needs trust. */
  readonly wantsTrust: boolean;
  /** Whether it is in a project's file that may not set it, trusted or not. */
  readonly isForbidden: boolean;
}

export interface Outcome {
  readonly key: SettingKey;
  readonly value: unknown;
  readonly from: LayerName;
  /** All layers that set it, strongest first; the default is always included. */
  readonly words: readonly Word[];
  /** Whether a stronger value was ignored because the project's file is not trusted. */
  readonly missed: boolean;
}

export interface Merged {
  readonly values: Values;
  readonly outcomes: readonly Outcome[];
}

export function merge(layers: Layers, trusted: boolean): Merged {
  const outcomes = SETTINGS.map((setting) => decide(setting, layers, trusted));
  const entries = outcomes.map(({ key, value }) => [key, value] as const);
  const set = entries.filter(([, value]) => value !== undefined);
  return { values: Values.parse(Object.fromEntries(set)), outcomes };
}

/** Whether a project's file needs trust to set this value. */
export function wantsTrust({ project, default: usual }: Setting, value: unknown): boolean {
  if (JSON.stringify(value) === JSON.stringify(usual)) return false;
  switch (project.may) {
    case "free":
    case "never":
      return false;
    case "tighten":
      return !project.noWider(value);
    case "trust":
      return true;
  }
}

/** Whether no project's file may set this value. */
function isForbidden({ project }: Setting, value: unknown): boolean {
  return project.may === "never" && !project.noWider(value);
}

/** Returns the settings of a project's file that need trust. */
export function wanting(project: Values): { setting: Setting; value: unknown }[] {
  return SETTINGS.flatMap((setting) => {
    const value = project[setting.key];
    return value !== undefined && wantsTrust(setting, value) ? [{ setting, value }] : [];
  });
}

function decide(setting: Setting, layers: Layers, trusted: boolean): Outcome {
  const words: Word[] = LAYERS.flatMap((layer) => {
    const value = layer === "default" ? setting.default : layers[layer][setting.key];
    if (value === undefined && layer !== "default") return [];
    const isProject = layer === "project";
    return [
      {
        layer,
        value,
        wantsTrust: isProject && wantsTrust(setting, value),
        isForbidden: isProject && isForbidden(setting, value),
      },
    ];
  });
  const allowed = words.filter((word) => !word.isForbidden);
  const winner = allowed.find((word) => trusted || !word.wantsTrust);
  return {
    key: setting.key,
    value: winner?.value,
    from: winner?.layer ?? "default",
    words,
    missed: allowed[0] !== winner,
  };
}
