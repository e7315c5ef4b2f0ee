// Owns mapping a person's answer to one of the agent's options. Pure. An agent's "allow always"
// creates no rule here, and an allow is sent as "once" where that is offered.

import * as z from "zod/mini";
import { withDefault } from "../lenient-schemas.ts";

export const PermissionOption = z.looseObject({
  optionId: z.string().check(z.maxLength(1_024)),
  name: withDefault(z.string(), ""),
  kind: z.string(),
});
export type PermissionOption = z.infer<typeof PermissionOption>;

const PREFERRED = {
  allowed: ["allow_once", "allow_always"],
  denied: ["reject_once", "reject_always"],
} as const;

/** Returns the option's id; undefined if the agent offers none of that kind. */
export function findOption(
  answer: keyof typeof PREFERRED,
  options: readonly PermissionOption[],
): string | undefined {
  for (const kind of PREFERRED[answer]) {
    const option = options.find((one) => one.kind === kind);
    if (option !== undefined) return option.optionId;
  }
  return undefined;
}
