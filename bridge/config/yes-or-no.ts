// Owns the rows of settings that are true or false and stand in files only: what they share.

import type { ProjectRule } from "./schema.ts";

export const YES_OR_NO = {
  form: "boolean" as const,
  flag: undefined,
  noun: "true or false",
  right: "Write true or false, without quotes.",
};

/** A project's file may switch it off. */
export const onlyFalse = (why: string): ProjectRule => ({
  may: "tighten",
  why,
  how: "only `false`",
  noWider: (value) => value === false,
});
