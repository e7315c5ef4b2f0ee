// Checks the files of certificates that are named beside what Node trusts by itself.

import { readCertificates } from "../../link/route.ts";
import type { Facts } from "../facts.ts";
import type { Finding } from "../finding.ts";
import { fail, ok, warn } from "../finding.ts";

export function checkAuthorities({ configuration, environment }: Facts): Finding {
  const named: string[] = [];
  const { ca } = configuration.merged.values;
  if (ca !== undefined) {
    const read = readCertificates(ca);
    if (!read.ok) return fail(`ca: ${read.error}`, "Name a file of certificates in PEM.");
    named.push(`ca ${ca}`);
  }
  for (const variable of ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"]) {
    const path = environment[variable];
    if (path === undefined || path === "") continue;
    const read = readCertificates(path);
    if (!read.ok) {
      return warn(
        `${variable}: ${read.error}`,
        `Set ${variable} to a file of certificates in PEM.`,
      );
    }
    named.push(`${variable} ${path}`);
  }
  return ok(["those of Node", ...named].join(", "));
}
