// How a person runs pairpty, from its environment and its script's path.

import { describe, expect, test } from "vitest";
import { EXAMPLES } from "../help/examples.ts";
import {
  replaceCommands,
  getCommandName,
  commandToStart,
  replaceExampleCommand,
  formatCommand,
  formatCommandHere,
} from "./command-name.ts";

const INSTALLED = "/usr/local/bin/pairpty";
const NPX = {
  npm_command: "exec",
  npm_lifecycle_event: "npx",
  npm_lifecycle_script: "'pairpty'",
};

describe("C32 the name to type", () => {
  test("C32 by the folder that a runner unpacked it into", () => {
    const bin = "node_modules/.bin/pairpty";
    const places = {
      [INSTALLED]: "pairpty",
      [`/home/ada/project/${bin}`]: "pairpty",
      [`/home/ada/.npm/_npx/1f2e3d4c/${bin}`]: "npx pairpty",
      [`/tmp/bunx-1000-pairpty@latest/${bin}`]: "bunx pairpty",
      [`/home/ada/.cache/pnpm/dlx/ab12/1-2/${bin}`]: "pnpm dlx pairpty",
      [`/home/ada/.cache/pnpm/dlx-4711/${bin}`]: "pnpm dlx pairpty",
      [`/tmp/xfs-1a2b/dlx-4711/${bin}`]: "yarn dlx pairpty",
    };
    for (const [script, name] of Object.entries(places)) {
      expect(getCommandName({}, script), script).toBe(name);
    }
  });

  test("C32 npx runs a project's own copy, too, by name or by -c", () => {
    const script = "/home/ada/project/node_modules/.bin/pairpty";
    for (const line of ["'pairpty'", "pairpty", '"pairpty" "stop"', "pairpty stop"]) {
      expect(getCommandName({ ...NPX, npm_lifecycle_script: line }, script)).toBe("npx pairpty");
    }
  });

  test("C32 in a checkout of its own, started by npm start", () => {
    const start = { npm_lifecycle_event: "start", npm_package_name: "pairpty" };
    expect(getCommandName(start, "/home/ada/pairpty/dist/bridge/cli.js")).toBe(
      "npm start --silent --",
    );
    expect(getCommandName({ ...start, npm_package_name: "mine" }, INSTALLED)).toBe("pairpty");
    expect(getCommandName(start, INSTALLED)).toBe("pairpty");
  });

  test("C32 what npx or npm started may run an installed pairpty", () => {
    expect(getCommandName({ ...NPX, npm_lifecycle_script: "'vitest'" }, INSTALLED)).toBe("pairpty");
    expect(getCommandName({ ...NPX, npm_lifecycle_script: "pairpty-x" }, INSTALLED)).toBe(
      "pairpty",
    );
    const run = { npm_command: "run-script", npm_lifecycle_event: "dev" };
    expect(getCommandName({ ...run, npm_lifecycle_script: "pairpty" }, INSTALLED)).toBe("pairpty");
  });
});

test("C32 C88 commands in backticks are as typed here, once, and nothing else changes", () => {
  const hint = "Start one with `pairpty`, see `pairpty config explain grace` and `pairptyx`.";
  const replaced = replaceCommands(hint, "npx pairpty");
  expect(replaced).toBe(
    "Start one with `npx pairpty`, see `npx pairpty config explain grace` and `pairptyx`.",
  );
  expect(replaceCommands(replaced, "npx pairpty")).toBe(replaced);
  expect(replaceCommands(hint, "pairpty")).toBe(hint);
  expect(formatCommand("", "npx pairpty")).toBe("npx pairpty");
  expect(formatCommand("stop", "npx pairpty")).toBe("npx pairpty stop");
});

test("C89 every hint keeps the --cwd that was given, once, and only where it means something", () => {
  const argv = ["node", "cli", "--cwd", "/tmp/demo"];
  for (const command of ["pairpty", "npm start --silent --"]) {
    const replaced = replaceCommands(
      "`pairpty revoke x7` ends it; `pairpty` shows it.",
      command,
      argv,
    );
    const start = command === "pairpty" ? "pairpty" : "npm start --silent --";
    expect(replaced).toBe(
      `\`${start} revoke x7 --cwd /tmp/demo\` ends it; \`${start} --cwd /tmp/demo\` shows it.`,
    );
    expect(replaceCommands(replaced, command, argv)).toBe(replaced);
  }
  const others =
    "`pairpty relay`, `pairpty agent -- cat`, `pairpty ls --cwd /a` and `pairpty help <x>`";
  expect(replaceCommands(others, "pairpty", argv)).toBe(others);
});

test("C32 npm start has no -- with nothing behind it", () => {
  expect(replaceCommands("Start it with `pairpty`.", "npm start --silent --", [])).toBe(
    "Start it with `npm start`.",
  );
  expect(formatCommand("", "npm start --silent --")).toBe("npm start");
  expect(formatCommandHere("", "npm start --silent --", [])).toBe("npm start");
  expect(replaceExampleCommand("cd x && pairpty", "npm start --silent --")).toBe(
    "cd x && npm start",
  );
});

test("C32 every example has the name once, and no path or file is touched", () => {
  for (const [line] of Object.values(EXAMPLES).flat()) {
    const replaced = replaceExampleCommand(line, "npx pairpty");
    expect(replaced.replace("npx pairpty", "pairpty"), replaced).toBe(line);
    expect(replaced, line).toContain("npx pairpty");
  }
});

test("C89 a hint about this folder keeps the --cwd that was given", () => {
  const here = (...argv: string[]) =>
    formatCommandHere("--tunnel", "npm start --silent --", ["node", "cli", ...argv]);
  expect(here()).toBe("npm start --silent -- --tunnel");
  expect(here("--cwd", "/tmp/demo")).toBe("npm start --silent -- --tunnel --cwd /tmp/demo");
  expect(here("start", "--cwd=../demo", "--yes")).toBe(
    "npm start --silent -- --tunnel --cwd ../demo",
  );
  expect(here("--cwd", "it's here")).toBe(
    String.raw`npm start --silent -- --tunnel --cwd 'it'\''s here'`,
  );
  expect([here("--cwd"), here("--cwd="), here("--", "--cwd", "x")]).toEqual(
    Array(3).fill("npm start --silent -- --tunnel"),
  );
});

test("C109 another program starts this pairpty by its files, or by what unpacked it", () => {
  const own = {
    execPath: "/usr/bin/node",
    argv: ["/usr/bin/node", "/opt/pairpty/cli.js", "connect"],
  };
  const start = (command: string) => commandToStart(["mcp", "--cwd", "/a b"], command, own);
  for (const command of ["pairpty", "npm start --silent --"]) {
    expect(start(command)).toEqual([
      "/usr/bin/node",
      "/opt/pairpty/cli.js",
      "mcp",
      "--cwd",
      "/a b",
    ]);
  }
  expect(start("npx pairpty")).toEqual(["npx", "-y", "pairpty", "mcp", "--cwd", "/a b"]);
  expect(start("pnpm dlx pairpty").slice(0, 4)).toEqual(["pnpm", "dlx", "pairpty", "mcp"]);
});
