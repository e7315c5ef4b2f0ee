// Checks the certificate files that are configured beyond Node's built-in CAs.

import { readCertificates } from "../../link/dial-route.ts";
import type { DoctorFacts } from "../doctor-facts.ts";
import type { Finding } from "../finding.ts";
import { fail, ok, warn } from "../finding.ts";

export function checkAuthorities({ configuration, environment }: DoctorFacts): Finding {
  const named: string[] = [];
  const { ca } = configuration.merged.values;
  if (ca !== undefined) {
    const read = readCertificates(ca);
    if (!read.ok) return fail(`ca: ${read.error}`, "Set it to a PEM file of certificates.");
    named.push(`ca ${ca}`);
  }
  for (const variable of ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"]) {
    const path = environment[variable];
    if (path === undefined || path === "") continue;
    const read = readCertificates(path);
    if (!read.ok) {
      return warn(`${variable}: ${read.error}`, `Set ${variable} to a PEM file of certificates.`);
    }
    named.push(`${variable} ${path}`);
  }
  return ok(["Node's built-in CAs", ...named].join(", "));
}
