import { expect, test } from "vitest";
import type { SpawnPlan } from "../../terminals/spawn-plan.ts";
import type { ContainerFacts } from "./container-command.ts";
import { firstProcesses, explainContainerFailure } from "./container-probe.ts";
import { wrapInContainer } from "./container-command.ts";

const FACTS: ContainerFacts = {
  runtime: "podman",
  program: "/usr/bin/podman",
  version: "4.3.1",
  options: ["--runtime", "runc"],
  runOptions: [],
  identity: ["--userns", "keep-id"],
  enforcedLimits: { memory: true, pids: true, cpu: true },
  firstProcess: { options: ["--init"], words: [], passesSignals: true },
  source: ["node:20"],
  git: { config: "/s/gitconfig", ignore: "/s/gitignore" },
  roots: [
    {
      path: "/home/me/w",
      guards: [{ path: "/home/me/w/.git/config", kind: "file", isAbsent: false }],
    },
  ],
  hidden: ["/home/me/w/state", "/elsewhere"],
  sizes: { tmp: 1_000, home: 500, varTmp: 250, shm: 250 },
  network: "none",
  label: "abc",
  environment: { HOME: "/home/me", DOCKER_HOST: "unix:///run/x", PATH: "/usr/bin" },
  envAllowlist: new Set(["NPM_TOKEN"]),
  maxLimits: { openFiles: "1024:4096", processes: "100:200" },
};

const PLAN: SpawnPlan = {
  command: ["npm", "test"],
  argv: ["npm", "test"],
  cwd: "/home/me/w",
  env: { LANG: "C", NPM_TOKEN: "let through", COOKIE: "secret", HOME: "/x", SSH_AUTH_SOCK: "/y" },
  added: { HOME: "/x" },
  size: { cols: 80, rows: 24 },
  lane: "background",
  lifetime: "background",
  retain: undefined,
  isolation: "container",
  startedBy: undefined,
};

const made = (facts: Partial<ContainerFacts> = {}, plan: Partial<SpawnPlan> = {}) =>
  wrapInContainer({ ...PLAN, ...plan }, { ...FACTS, ...facts }, {}, "pairpty-x");

/** Returns the values of an option, in order. */
function listValues(argv: readonly string[], option: string): string[] {
  return argv.flatMap((word, index) => (word === option ? [argv[index + 1] ?? ""] : []));
}

test("I13 a container's command line: a terminal, a name, a label, no network, no capability", () => {
  const { argv, container, isolation, command } = made();
  expect(argv.slice(0, 6)).toEqual([
    "/usr/bin/podman",
    "--runtime",
    "runc",
    "run",
    "--interactive",
    "--tty",
  ]);
  expect([container, isolation, command]).toEqual(["pairpty-x", "container", PLAN.command]);
  expect(listValues(argv, "--name")).toEqual(["pairpty-x"]);
  expect(listValues(argv, "--label")).toEqual(["pairpty.workspace=abc"]);
  expect(listValues(argv, "--network")).toEqual(["none"]);
  expect(listValues(argv, "--cap-drop")).toEqual(["all"]);
  expect(listValues(argv, "--security-opt")).toEqual(["no-new-privileges", "label=disable"]);
  expect(listValues(argv, "--detach-keys")).toEqual([""]);
  expect(argv).toContain("--read-only");
  const at = argv.indexOf("node:20");
  expect(argv.slice(at - 4, at + 3)).toEqual([
    "--pull",
    "never",
    "--entrypoint",
    "",
    "node:20",
    "/bin/sh",
    "-c",
  ]);
  expect(argv.slice(-3)).toEqual(["sh", "npm", "test"]);
  expect(made({}, { lane: "command" }).argv).not.toContain("--tty");
});

test("I84 I6 the workspace at its own path, its guards read-only, ours in it hidden", () => {
  const { argv } = made();
  expect(listValues(argv, "--volume")).toEqual([
    "/s/gitconfig:/tmp/.gitconfig:ro",
    "/s/gitignore:/tmp/.gitignore:ro",
    "/home/me/w:/home/me/w",
    "/home/me/w/.git:/home/me/w/.git",
    "/home/me/w/.git/config:/home/me/w/.git/config:ro",
  ]);
  expect(listValues(argv, "--tmpfs").at(-1)).toBe("/home/me/w/state:ro,size=4k");
  expect(listValues(argv, "--workdir")).toEqual(["/home/me/w"]);
});

test("I21 every private folder of a container has a size", () => {
  const folders = (runtime: ContainerFacts["runtime"]) =>
    listValues(made({ runtime, hidden: [] }).argv, "--tmpfs").map((folder) =>
      folder.replace(/:.*,size=/, " "),
    );
  expect(folders("podman")).toEqual(["/tmp 1000", "/var/tmp 250", "/run 250"]);
  expect(folders("docker")).toEqual(["/tmp 1000"]);
});

test("I7 I13 nothing that a request adds means anything to the program that runs the container", () => {
  const { argv, env } = made(
    {},
    { added: { HOME: "/x", LD_PRELOAD: "/evil" }, env: { ...PLAN.env, LD_PRELOAD: "/evil" } },
  );
  expect(listValues(argv, "--env")).toEqual([
    "HOME=/tmp",
    "TMPDIR=/tmp",
    ...[0, 1, 2, 3].map((index) => `PAIRPTY_INSIDE_${index}`),
  ]);
  expect(env).toEqual({
    ...FACTS.environment,
    PAIRPTY_INSIDE_0: "LANG=C",
    PAIRPTY_INSIDE_1: "NPM_TOKEN=let through",
    PAIRPTY_INSIDE_2: "HOME=/x",
    PAIRPTY_INSIDE_3: "LD_PRELOAD=/evil",
  });
  expect(argv.join(" ")).not.toMatch(/let through|evil|secret/);
});

test("I13 a folder instead of an image; docker's own ways", () => {
  const folder = made({ source: ["--rootfs", "/r"] }).argv;
  expect(folder.slice(folder.indexOf("--rootfs")).slice(0, 3)).toEqual([
    "--rootfs",
    "/r",
    "/bin/sh",
  ]);
  expect(listValues(folder, "--env").some((entry) => entry.startsWith("PATH="))).toBe(true);
  const docker = made({ runtime: "docker", runOptions: ["--runtime", "runsc"], options: [] }).argv;
  expect(listValues(docker, "--detach-keys")[0]).not.toBe("");
  expect(docker.indexOf("--runtime")).toBeGreaterThan(docker.indexOf("run"));
});

test("I13 the first process: the best that there is, and a shell where there is none", () => {
  const of = (runtime: "podman" | "docker", tini?: string) =>
    firstProcesses(runtime, () => tini).map(({ options, words }) =>
      [...options, ...words].join(" "),
    );
  const shell = '/bin/sh -c "$@"; exit $? sh';
  expect(of("docker")).toEqual(["--init", shell]);
  expect(of("podman")).toEqual(["--init env --default-signal", shell]);
  expect(of("podman", "/usr/bin/tini-static")).toEqual([
    "--init --init-path /usr/bin/tini-static",
    "--init env --default-signal",
    shell,
  ]);
  const failed = (complaint: string) =>
    explainContainerFailure("podman", {
      is: "ended",
      code: 126,
      firstLine: "",
      lines: [],
      errorLine: complaint,
    });
  expect(failed('exec: "/bin/sh": stat /bin/sh: no such file or directory')).toMatchObject({
    why: "The container's image has no /bin/sh",
  });
  expect(failed("crun: denied")).toMatchObject({ why: expect.stringContaining("crun: denied") });
  expect(explainContainerFailure("docker", { is: "hung" })).toMatchObject({
    why: expect.stringContaining("did not answer"),
  });
});
