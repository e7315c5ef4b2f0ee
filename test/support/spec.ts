// Reads the rules of docs/spec.

import { listSpecPages } from "../../scripts/spec-index.mjs";

export interface Rule {
  readonly name: string;
  readonly family: string;
  readonly number: number;
  readonly text: string;
  readonly page: string;
}

/** A rule is one line of its page. */
const RULE = /^- \*\*([A-Z]{1,2})(\d+)\*\* (.*)$/gm;

/** Returns every rule, page by page. */
export function listRules(): Rule[] {
  return listSpecPages().flatMap(({ path, text }) =>
    [...text.matchAll(RULE)].map(([, family = "", number = "", rule = ""]) => ({
      name: `${family}${number}`,
      family,
      number: Number(number),
      text: rule,
      page: path,
    })),
  );
}

/** Returns a rule's text, empty where there is no such rule. */
export function findRuleText(name: string): string {
  return listRules().find((rule) => rule.name === name)?.text ?? "";
}
