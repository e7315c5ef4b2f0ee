// Variables that npm sets for the programs it starts.

import fc from "fast-check";
import { expect, test } from "vitest";
import { planSpawn, removeNpmVariables } from "./spawn-plan.ts";

const OWN = {
  HOME: "/home/ada",
  PATH: "/usr/local/bin:/usr/bin",
  NPM_CONFIG_REGISTRY: "https://x",
};

/** Set by `npm start` in /home/ada/clone; `npx` is similar. */
const BY_NPM = {
  ...OWN,
  npm_command: "run-script",
  npm_config_local_prefix: "/home/ada/clone",
  npm_execpath: "/usr/lib/node_modules/npm/bin/npm-cli.js",
  npm_lifecycle_event: "start",
  npm_node_execpath: "/usr/bin/node",
  npm_package_name: "pairpty",
  INIT_CWD: "/home/ada/clone",
  NODE: "/usr/bin/node",
  COLOR: "1",
  PATH: [
    "/home/ada/.npm/_npx/0a1b/node_modules/.bin",
    "/home/ada/clone/node_modules/.bin",
    "/home/ada/node_modules/.bin",
    "/home/node_modules/.bin",
    "/node_modules/.bin",
    "/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin",
    OWN.PATH,
  ].join(":"),
};

test("T8 what npm put there is gone, and the rest is as it was", () => {
  expect(removeNpmVariables(BY_NPM)).toEqual(OWN);
});

test("T8 the user's own of these names stay, in front of PATH only what is npm's goes", () => {
  const own = { NODE: "/opt/node/bin/node", COLOR: "always" };
  expect(removeNpmVariables({ ...BY_NPM, ...own })).toEqual({ ...OWN, ...own });
  for (const path of [
    "node_modules/.bin:/usr/bin",
    "/usr/bin:/home/ada/tools/node_modules/.bin",
    "/node_modules/.bin",
    "",
  ]) {
    expect(removeNpmVariables({ npm_command: "exec", PATH: path })).toEqual({ PATH: path });
  }
});

test("T8 without a sign of npm nothing is touched", () => {
  const names = fc.constantFrom("INIT_CWD", "NODE", "COLOR", "PATH", "npm_config_registry", "A");
  fc.assert(
    fc.property(fc.dictionary(names, fc.constantFrom("1", "/a/node_modules/.bin:/b")), (own) => {
      expect(removeNpmVariables(own)).toEqual(own);
    }),
  );
});

test("T8 a terminal of a pairpty that npm started is planned without it, and with what the request adds", () => {
  const planned = planSpawn(
    { command: ["/bin/sh"], env: { npm_mine: "1" }, lane: "user", lifetime: "user" },
    { folder: "/", shell: "/bin/sh", environment: BY_NPM },
  );
  const env = planned.ok ? planned.plan.env : {};
  expect(env["PATH"]).toBe(OWN.PATH);
  expect(Object.keys(env).filter((name) => /^(npm_|INIT_CWD|NODE$|COLOR$)/.test(name))).toEqual([
    "npm_mine",
  ]);
});
