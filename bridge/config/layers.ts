// Owns which layer wins: flags over environment over the user's file over the project's file over
// the default, and what of a project's file counts before somebody trusted it. Pure.

import type { Setting, SettingKey } from "./schema.ts";
import { SETTINGS, Values } from "./schema.ts";

/** The first that says something wins. */
export const LAYERS = ["flag", "environment", "user", "project", "default"] as const;
export type LayerName = (typeof LAYERS)[number];

export type Layers = Readonly<Record<Exclude<LayerName, "default">, Values>>;

/** What one layer said of one setting. */
export interface Word {
  readonly layer: LayerName;
  readonly value: unknown;
  /** It is a project file's, and more than such a file may say without trust. */
  readonly wantsTrust: boolean;
  /** It is a project file's, and no such file may say it, trusted or not. */
  readonly isForbidden: boolean;
}

export interface Outcome {
  readonly key: SettingKey;
  readonly value: unknown;
  readonly from: LayerName;
  /** Every layer that said something, the strongest first; the default is always there. */
  readonly words: readonly Word[];
  /** Would have counted, had the project's file been trusted. */
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

/** Whether a project's file needs trust to say this. */
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

/** Whether it says more than any project's file may. */
function isForbidden({ project }: Setting, value: unknown): boolean {
  return project.may === "never" && !project.noWider(value);
}

/** The keys of a project's file that trust would let through. */
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
