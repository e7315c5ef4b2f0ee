// Checks the settings for mistakes in files, environment and flags.

import { formatProblem } from "../../config/config-problems.ts";
import type { DoctorFacts } from "../doctor-facts.ts";
import type { Finding } from "../finding.ts";
import { fail, ok } from "../finding.ts";

export function checkConfig({ configuration, relay }: DoctorFacts): Finding {
  const { problems, user, project } = configuration;
  const [first] = problems;
  if (first !== undefined) {
    const more = problems.length === 1 ? "" : ` (and ${problems.length - 1} more)`;
    return fail(`${formatProblem(first)}${more}`, "`pairpty config check` lists every mistake.");
  }
  if (typeof relay === "string") {
    return fail(relay, "Use https://, or add --insecure if you know the network.");
  }
  const files = [user, project].filter(({ exists }) => exists).map(({ path }) => path);
  return ok(
    files.length === 0 ? "no file; using flags, environment and defaults" : files.join(", "),
  );
}
