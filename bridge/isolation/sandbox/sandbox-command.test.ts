import { expect, test } from "vitest";
import type { SpawnPlan } from "../../terminals/spawn-plan.ts";
import { MiB } from "../../../protocol/limits.ts";
import type { FolderSizes } from "../sandbox-locations.ts";
import { folderSizes } from "../sandbox-locations.ts";
import type { SandboxFacts } from "./sandbox-command.ts";
import { toSeccompFilter } from "./seccomp-filter.ts";
import { toMountOptions, toolFolders } from "./sandbox-mounts.ts";
import { wrapInSandbox } from "./sandbox-command.ts";

const GiB = 1024 * MiB;

const FACTS: SandboxFacts = {
  programs: {
    sh: "/bin/sh",
    env: "/usr/bin/env",
    bwrap: "/usr/bin/bwrap",
    perl: "/usr/bin/perl",
    prlimit: undefined,
  },
  files: {
    filter: "/s/terminal.bpf",
    etc: "/s/etc",
    etcMounts: ["hosts", "ssl/certs"],
    cache: "/s/cache",
  },
  canForbidNamespaces: true,
  sizes: undefined,
  user: { uid: 1000, gid: 1000, isRoot: true, name: "me", home: "/home/me" },
  rootFolders: [
    { path: "/bin", link: "usr/bin" },
    { path: "/lib64", link: undefined },
  ],
  procMasks: ["sys"],
  roots: [
    {
      path: "/home/me/w",
      guards: [
        { path: "/home/me/w/.git/hooks", kind: "folder", isAbsent: false },
        { path: "/home/me/w/.git/config", kind: "file", isAbsent: false },
        { path: "/home/me/w/.envrc", kind: "file", isAbsent: true },
      ],
    },
  ],
  readable: ["/home/me/.nvm", "/home/me/w/node_modules/.bin"],
  hidden: ["/home/me/.local/state/pairpty"],
  network: "none",
  isDash: false,
  envAllowlist: new Set(["NPM_TOKEN"]),
};

const PLAN: SpawnPlan = {
  command: ["npm", "test"],
  argv: ["/usr/bin/npm", "test"],
  cwd: "/home/me/w/sub",
  env: {
    PATH: "/usr/bin",
    HOME: "/home/me",
    LC_ALL: "C.UTF-8",
    COOKIE_OF_MINE: "secret",
    NPM_TOKEN: "let through",
    SSH_AUTH_SOCK: "/run/agent",
    http_proxy: "http://proxy",
    PORT: "3000",
  },
  added: { PORT: "3000" },
  size: { cols: 80, rows: 24 },
  lane: "background",
  lifetime: "background",
  retain: undefined,
  isolation: "sandbox",
  startedBy: undefined,
};

const lines = (facts: Partial<SandboxFacts> = {}) =>
  toMountOptions({ ...FACTS, ...facts }).map((line) => line.join(" "));

/** Expects these in this order. */
function inOrder(all: readonly string[], expected: readonly string[]): void {
  expect(all.filter((line) => expected.includes(line))).toEqual(expected);
}

test("I4 I73 the file system: an allow-list, a private home, the workspace, then what of it is kept", () => {
  inOrder(lines(), [
    "--ro-bind /usr /usr",
    "--symlink usr/bin /bin",
    "--ro-bind /lib64 /lib64",
    "--ro-bind /s/etc /etc",
    "--ro-bind-try /etc/hosts /etc/hosts",
    "--ro-bind-try /etc/ssl/certs /etc/ssl/certs",
    "--tmpfs /tmp",
    "--proc /proc",
    "--ro-bind /proc/sys /proc/sys",
    "--dev /dev",
    "--tmpfs /home/me",
    "--bind /s/cache /home/me/.cache",
    "--ro-bind-try /home/me/.nvm /home/me/.nvm",
    "--bind /home/me/w /home/me/w",
    "--bind /home/me/w/.git /home/me/w/.git",
    "--ro-bind /home/me/w/.git/hooks /home/me/w/.git/hooks",
    "--ro-bind /home/me/w/.git/config /home/me/w/.git/config",
    "--ro-bind /home/me/w/.envrc /home/me/w/.envrc",
    "--remount-ro /",
  ]);
  expect(
    lines().some((line) => /bind(-try)? \/etc \/etc$|shadow|sudoers|\/etc\/ssh/.test(line)),
  ).toBe(false);
  // It is writable like the rest of the workspace.
  expect(lines().join("\n")).not.toContain("node_modules/.bin");
});

test("I91 private folders have a size, together at most the limit on memory or half of the machine", () => {
  const sizes = folderSizes(512 * MiB, 64 * GiB);
  const all = lines({ sizes });
  inOrder(all, [
    `--size ${256 * MiB} --tmpfs /tmp`,
    `--size ${64 * MiB} --tmpfs /var/tmp`,
    `--size ${64 * MiB} --tmpfs /dev/shm`,
    "--remount-ro /dev",
    `--size ${128 * MiB} --tmpfs /home/me`,
  ]);
  const sum = ({ tmp, home, varTmp, shm }: FolderSizes) => tmp + home + varTmp + shm;
  expect(sum(sizes)).toBe(512 * MiB);
  expect(sum(folderSizes(undefined, 8 * GiB))).toBe(4 * GiB);
  expect(sum(folderSizes(64 * GiB, 8 * GiB))).toBe(4 * GiB);
  // Each folder has a minimum, also with an impossibly small limit.
  expect(folderSizes(1, 8 * GiB).shm).toBe(16 * MiB);
});

test("I4 I6 a workspace that contains the home: nothing is put into it, and ours stays hidden", () => {
  const home = lines({ roots: [{ path: "/home", guards: [] }] });
  inOrder(home, [
    "--bind /home /home",
    "--bind /home/me /home/me",
    "--bind /home/me/.local /home/me/.local",
    "--bind /home/me/.local/state /home/me/.local/state",
    "--tmpfs /home/me/.local/state/pairpty",
    "--remount-ro /home/me/.local/state/pairpty",
  ]);
  expect(home).not.toContain("--tmpfs /home/me");
  expect(home.join("\n")).not.toContain("/s/cache");
});

test("I6 our folders are hidden below what is readable, and not mentioned where nothing shows them", () => {
  expect(lines({ readable: ["/home/me/.local"] })).toContain(
    "--tmpfs /home/me/.local/state/pairpty",
  );
  expect(lines().join("\n")).not.toContain("pairpty");
});

/** Returns the environment that the shell inside makes of the forked one. */
function readInside({ env, argv }: SpawnPlan): Record<string, string> {
  const script = argv.find((word) => word.startsWith("export ")) ?? "";
  const names = [...script.matchAll(/"\$(\w+)"/g)].map(([, name = ""]) => env[name] ?? "");
  return Object.fromEntries(names.map((entry) => entry.split(/=(.*)/s).slice(0, 2)));
}

test("I7 the environment: known names, what was asked for, what the user lets through; no way out", () => {
  expect(readInside(wrapInSandbox(PLAN, FACTS, {}))).toEqual({
    PATH: "/usr/bin",
    HOME: "/home/me",
    LC_ALL: "C.UTF-8",
    NPM_TOKEN: "let through",
    PORT: "3000",
    USER: "me",
    LOGNAME: "me",
    TMPDIR: "/tmp",
    XDG_CACHE_HOME: "/home/me/.cache",
    npm_config_cache: "/home/me/.cache/npm",
    npm_config_update_notifier: "false",
  });
  const asked = { ...PLAN, added: { DOCKER_HOST: "x" }, env: { ...PLAN.env, DOCKER_HOST: "x" } };
  expect(readInside(wrapInSandbox(asked, FACTS, {}))).not.toHaveProperty("DOCKER_HOST");
  expect(readInside(wrapInSandbox(PLAN, { ...FACTS, network: "host" }, {}))).toHaveProperty(
    "http_proxy",
  );
});

test("I7 nothing that a request adds means anything to the programs that build the wall", () => {
  const added = {
    LD_PRELOAD: "/w/evil.so",
    PATH: "/w/bin",
    ENV: "/w/rc",
    "odd name": "x",
    UID: "0",
  };
  const { env, argv } = wrapInSandbox(
    { ...PLAN, added, env: { ...PLAN.env, ...added } },
    FACTS,
    {},
  );
  const names = Object.keys(env).filter((name) => !/^PAIRPTY_INSIDE_\d+$/.test(name));
  expect([names, env["PATH"]]).toEqual([["PATH"], "/usr/sbin:/usr/bin:/sbin:/bin"]);
  const inside = readInside({ ...PLAN, env, argv });
  expect(inside).toMatchObject({ LD_PRELOAD: "/w/evil.so", PATH: "/w/bin", ENV: "/w/rc" });
  expect(inside).not.toHaveProperty("UID");
  expect(argv.indexOf("--")).toBeLessThan(argv.findIndex((word) => word.startsWith("export ")));
});

test("I8 I9 I82 the command line: its own namespaces, no capability, a filter, the program's own signals", () => {
  const { argv, isolation, command, cwd } = wrapInSandbox(PLAN, FACTS, {});
  expect([isolation, command, cwd]).toEqual(["sandbox", PLAN.command, PLAN.cwd]);
  expect(argv.slice(0, 8)).toEqual([
    "/bin/sh",
    "-c",
    'exec 9<"$1"; shift; exec "$@"',
    "sh",
    "/s/terminal.bpf",
    "/usr/bin/env",
    "--ignore-signal=INT,QUIT,TERM,TSTP,TTIN,TTOU,USR1,USR2",
    "/usr/bin/bwrap",
  ]);
  const options = argv.join(" ");
  for (const option of ["--unshare-net", "--disable-userns", "--cap-drop ALL", "--seccomp 9"]) {
    expect(options).toContain(option);
  }
  expect(argv.slice(-4)).toEqual(["/usr/bin/env", "--default-signal", "/usr/bin/npm", "test"]);
  const odd = wrapInSandbox({ ...PLAN, argv: ["/w/a=b", "x"] }, FACTS, {}).argv;
  expect(odd.slice(-6)).toEqual(["/bin/sh", "-c", 'exec "$@"', "sh", "/w/a=b", "x"]);
  const shared = wrapInSandbox(PLAN, { ...FACTS, network: "host", canForbidNamespaces: false }, {});
  expect(shared.argv.join(" ")).not.toMatch(/unshare-net|disable-userns/);
});

test("I4 folders of PATH: their programs' own runtime, never a home nor what is beside a bin", () => {
  const there = new Set([
    "/home/me/.nvm/versions/node/v20",
    "/home/me/.nvm/versions/node/v20/bin",
    "/home/me/.nvm/versions/node/v20/lib",
    "/home/me/.nvm/versions/node/v20/include",
    "/home/me/.pyenv/shims",
    "/home/me/.pyenv",
    "/home/me/.cargo/bin",
    "/home/me/.rustup",
    "/home/me/.fly/bin",
    "/home/me/.local/bin",
    "/home/me/.local/lib",
    "/home/me/bin",
  ]);
  const path = [
    "/usr/bin",
    ...[...there].filter((folder) => /bin$|shims$/.test(folder)),
    "/home/me",
    "/",
    "relative",
    "/home/me/w",
  ].join(":");
  const found = toolFolders(
    path,
    "/home/me",
    ["/home/me/w"],
    (one) => there.has(one) || one === "/",
  );
  expect(found).toEqual([
    "/home/me/.nvm/versions/node/v20",
    "/home/me/.pyenv",
    "/home/me/.cargo/bin",
    "/home/me/.rustup",
    "/home/me/.fly/bin",
    "/home/me/.local/bin",
    "/home/me/.local/lib",
    "/home/me/bin",
  ]);
});

/** Runs a filter as the kernel does. */
function decide(filter: Buffer, arch: number, number: number, args: readonly number[]): number {
  const words = new Map([
    [0, number],
    [4, arch],
    ...args.map((value, index): [number, number] => [16 + 8 * index, value]),
  ]);
  let value = 0;
  for (let at = 0; ; at += 8) {
    const code = filter.readUInt16LE(at);
    const operand = filter.readUInt32LE(at + 4);
    if (code === 0x06) return operand;
    if (code === 0x20) {
      value = words.get(operand) ?? 0;
      continue;
    }
    const isTrue =
      code === 0x15
        ? value === operand
        : code === 0x35
          ? value >= operand
          : (value & operand) !== 0;
    at += 8 * filter.readUInt8(at + (isTrue ? 2 : 3));
  }
}

test.each([
  ["x64", 0xc000003e, { ioctl: 16, keyctl: 250, openat: 257, fchmod: 91, fchmodat: 268 }],
  ["arm64", 0xc00000b7, { ioctl: 29, keyctl: 219, openat: 56, fchmod: 52, fchmodat: 53 }],
] as const)(
  "I9 I20 the filter for %s lets everything through but what it is for",
  (name, arch, call) => {
    const filter = toSeccompFilter(name);
    const of = (number: number, ...args: number[]) => decide(filter, arch, number, args);
    const [allow, refused, unknown] = [0x7fff0000, 0x00050001, 0x00050026];
    for (const request of [0x5412, 0x541c]) expect(of(call.ioctl, 0, request)).toBe(refused);
    expect([of(call.keyctl), of(425), of(437)]).toEqual([refused, unknown, unknown]);
    // A setuid file, by chmod or on creation.
    expect([of(call.fchmod, 3, 0o4755), of(call.fchmodat, 3, 0, 0o4755)]).toEqual([
      refused,
      refused,
    ]);
    expect(of(call.openat, 3, 0, 0o101, 0o4755)).toBe(refused);
    // A setgid file; an access list could later add the right to run it.
    for (const mode of [0o2755, 0o2644, 0o6755]) {
      expect([of(call.fchmod, 3, mode), of(call.fchmodat, 3, 0, mode)]).toEqual([refused, refused]);
      expect(of(call.openat, 3, 0, 0o101, mode)).toBe(refused);
    }
    expect(of(call.openat, 3, 0, 0o20200002, 0o4700)).toBe(refused);
    const harmless = [
      of(call.openat, 3, 0, 0, 0o4755),
      of(call.openat, 3, 0, 0o101, 0o644),
      of(call.fchmod, 3, 0o1777),
      of(call.ioctl, 0, 0x5413),
      of(call.ioctl, 0, 0x5401),
      of(0),
      of(1),
      of(59),
      of(435),
    ];
    expect(harmless).toEqual(harmless.map(() => allow));
    expect(decide(filter, 0x40000003, 0, [])).toBe(unknown);
    expect(of(0x40000000 + call.ioctl, 0, 0x5412)).toBe(unknown);
  },
);
