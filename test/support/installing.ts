// Owns what a browser needs to install the page: manifest, icons and service worker, asked of a relay
// of any kind. That a browser then takes the service worker is test/web/page.test.ts's.

import { readFileSync } from "node:fs";
import { ask } from "./asking.ts";

const WEB = "dist/web";
const POLICY = ["script-src 'self'", "worker-src 'self'", "manifest-src 'self'"];

/** What is not as it should be, in words. */
export async function installFaults(port: number): Promise<string[]> {
  const manifest = readFileSync(`${WEB}/manifest.webmanifest`, "utf8");
  const { icons }: { icons: { src: string; type: string }[] } = JSON.parse(manifest);
  const wanted: [string, RegExp][] = [
    ["/manifest.webmanifest", /^application\/manifest\+json/],
    ["/sw.js", /^(text|application)\/javascript/],
    ["/icon-apple.png", /^image\/png$/],
    ...icons.map(({ src, type }): [string, RegExp] => [src, new RegExp(`^${type}$`)]),
  ];
  const faults: string[] = [];
  for (const [path, type] of wanted) {
    const { status, headers } = await ask(port, path);
    const policy = String(headers["content-security-policy"]).split("; ");
    if (status !== 200) faults.push(`${path} is ${status}`);
    if (!type.test(String(headers["content-type"])))
      faults.push(`${path} is ${headers["content-type"]}`);
    for (const part of POLICY) if (!policy.includes(part)) faults.push(`${path} lacks ${part}`);
    // A kept service worker would keep its page's version.
    if (/immutable/.test(String(headers["cache-control"]))) faults.push(`${path} is kept`);
  }
  return faults;
}
