// Owns what the true-or-false settings for files only have in common.

import type { ProjectRule } from "./schema.ts";

export const BOOLEAN_ROW = {
  form: "boolean" as const,
  flag: undefined,
  noun: "true or false",
  right: "Write true or false, without quotes.",
};

/** Allows a project's file to set only false. */
export const onlyFalse = (why: string): ProjectRule => ({
  may: "tighten",
  why,
  how: "only `false`",
  isNoWider: (value) => value === false,
});
