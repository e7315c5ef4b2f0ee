// Owns a workspace with real walls under test, for root and for a plain user: its folders, a pty
// host of that user, and programs run behind the wall in it. No bridge. All of it is ended and
// removed when the test file is over.

import { execFile, execFileSync } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Isolation } from "../../protocol/isolation.ts";
import { FrameType } from "../../protocol/frame-types.ts";
import type { Exit } from "../../protocol/terminal.ts";
import type { ProgramResult } from "../../bridge/processes/run-program.ts";
import { runProgram } from "../../bridge/processes/run-program.ts";
import { findTool } from "../../bridge/isolation/find-tool.ts";
import { probeSandbox } from "../../bridge/isolation/sandbox/sandbox-probe.ts";
import { findCgroups } from "../../bridge/isolation/cgroups.ts";
import type { SandboxLocations, SandboxUser } from "../../bridge/isolation/sandbox-locations.ts";
import type { IsolationSettings } from "../../bridge/isolation/isolation-settings.ts";
import { NO_ISOLATION } from "../../bridge/isolation/isolation-settings.ts";
import { IsolationService } from "../../bridge/isolation/isolation-service.ts";
import { planSpawn } from "../../bridge/terminals/spawn-plan.ts";
import { ALL } from "./host-client.ts";
import { alive, endTree, listProcesses } from "./processes.ts";
import { launchHost } from "./pty-host.ts";
import { passOver } from "./required.ts";
import { PATIENCE_MS, until } from "./waiting.ts";

/** Somebody whom no machine knows. */
const PLAIN = 54_321;

export type Who = "root" | "plain user";

/** Who this process may be: root may be both. */
export const WHO: readonly Who[] =
  process.getuid?.() === 0 ? ["root", "plain user"] : ["plain user"];

export interface Terminal {
  readonly handle: number;
  readonly pid: number;
  type(text: string): void;
  resize(cols: number, rows: number): void;
  signal(name: string): void;
  /** What it printed so far. */
  text(): string;
  saw(text: string): Promise<void>;
  exit(): Promise<Exit>;
}

export interface IsolatedWorld {
  readonly isolationService: IsolationService;
  readonly user: SandboxUser;
  readonly place: SandboxLocations;
  /** The workspace. */
  readonly folder: string;
  /** Of that user; outside the workspace. */
  readonly home: string;
  /** Runs a program of this machine as that user, and says what it printed. */
  ask(command: string, ...args: string[]): Promise<string>;
  /** Another set of walls around the same place, as the next bridge has it. */
  again(): IsolationService;
  /** Everything is below it. */
  readonly top: string;
  readonly hostPid: number;
  start(command: readonly string[], more?: StartMore): Promise<Terminal>;
  /** Runs a shell line to its end. */
  run(line: string, more?: StartMore): Promise<{ text: string; exit: Exit }>;
  /** Writes a file of that user's. */
  write(path: string, text: string, mode?: number): void;
  close(): Promise<void>;
}

export interface StartMore {
  readonly level?: Isolation;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export async function openIsolation(
  who: Who,
  settings: Partial<IsolationSettings> | ((top: string) => Partial<IsolationSettings>) = {},
  environment: Readonly<Record<string, string>> = {},
  shape: "apart" | "home" = "apart",
  forClients: Readonly<Record<string, string>> = {},
): Promise<IsolatedWorld> {
  const uid = who === "root" ? 0 : process.getuid?.() === 0 ? PLAIN : (process.getuid?.() ?? 0);
  const gid = process.getuid?.() === 0 ? uid : (process.getgid?.() ?? 0);
  const top = realpathSync(mkdtempSync(join(tmpdir(), "pairpty-walls-")));
  const own = (path: string) => chownSync(path, uid, gid);
  own(top);
  const folder = (name: string) => {
    const path = join(top, name);
    mkdirSync(path, { mode: 0o700 });
    own(path);
    return path;
  };
  // Or all of it in one: the workspace is the home, and has our own folder in it.
  const isOne = shape === "home";
  const home = folder("home");
  const state = folder(isOne ? "home/state" : "state");
  const workspace = isOne ? home : folder("workspace");
  const user: SandboxUser =
    who === "root"
      ? { isRoot: true, uid: 1000, gid: 1000, name: "agent", home }
      : { isRoot: false, uid, gid, name: "plain", home };
  const place: SandboxLocations = {
    roots: [workspace],
    ownFolders: [state],
    folder: join(state, "isolation"),
    placeholders: join(state, "placeholders"),
    name: basename(top),
    shell: "/bin/sh",
    envAllowlist: new Set(),
  };
  // What podman asks of its user. A plain user has no folders of root's.
  const asked = {
    PATH:
      uid === process.getuid?.() ? (process.env["PATH"] ?? "") : "/usr/bin:/bin:/usr/sbin:/sbin",
    HOME: home,
    XDG_RUNTIME_DIR: folder("run"),
    ...forClients,
  };
  const host = await launchHost({ uid, gid });
  const client = await host.join();
  const run = runAs(uid, gid, asked, () => ownAll(place.folder));
  const wanted = {
    ...NO_ISOLATION,
    ...(typeof settings === "function" ? settings(top) : settings),
  };
  // A plain user has none of version 1.
  const findGroups = () => (uid === 0 ? findCgroups() : undefined);
  const open = () =>
    new IsolationService(place, wanted, { user, run, environment: asked, findGroups });
  const isolationService = open();
  const releases: (() => void)[] = [];
  const base = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home, ...environment };

  async function start(command: readonly string[], more: StartMore = {}): Promise<Terminal> {
    const { level = "sandbox", cwd = workspace, env = {} } = more;
    const request = {
      command,
      cwd,
      env,
      isolation: level,
      lane: "background",
      lifetime: "background",
    } as const;
    const defaults = { folder: workspace, shell: "/bin/sh", environment: base };
    const planned = planSpawn(request, defaults);
    if (!planned.ok) throw new Error(planned.error);
    const isolated = await isolationService.isolate(planned.plan);
    if (!isolated.ok) throw new Error(isolated.error);
    ownAll(place.folder);
    const release = isolationService.hold(isolated.plan);
    releases.push(release);
    // The user's own git works in there meanwhile.
    ownAll(join(workspace, ".git"));
    const [file, ...args] = isolated.plan.argv;
    const spawned = { file, args, cwd, env: { ...isolated.plan.env } };
    const { handle, pid } = await client.spawn("", spawned);
    client.read(handle, 0, ALL);
    return {
      handle,
      pid,
      type: (text) => client.input(handle, text),
      resize: (cols, rows) => client.send(FrameType.resize, handle, { cols, rows }),
      signal: (signal) => client.send(FrameType.signal, handle, { signal }),
      text: () => client.text(handle),
      saw: (text) => client.saw(handle, text),
      exit: async () => {
        const { exit } = await client.whole(handle);
        release();
        return exit;
      },
    };
  }

  /** What the walls write is the user's own, as if they had run as that user. */
  function ownAll(path: string): void {
    if (uid !== 0 && existsSync(path)) execFileSync("chown", ["-R", `${uid}:${gid}`, path]);
  }

  /** Ends the watchers, podman's pause process, and what they started meanwhile. */
  async function endAll(): Promise<void> {
    await until(`no process is left in ${home}`, () => {
      const left = listProcesses(home).filter(alive);
      for (const pid of left) endTree(pid);
      return left.length === 0;
    });
  }

  return {
    isolationService,
    user,
    place,
    folder: workspace,
    home,
    ask: async (command, ...args) => {
      const ran = await run(command, args, PATIENCE_MS);
      return ran.is === "ended" ? ran.lines.join("\n") : ran.is;
    },
    again: open,
    top,
    hostPid: host.pid,
    start,
    run: async (line, more) => {
      const terminal = await start(["/bin/sh", "-c", line], more);
      const exit = await terminal.exit();
      return { text: terminal.text().replaceAll("\r\n", "\n"), exit };
    },
    write: (path, text, mode = 0o600) => {
      mkdirSync(dirname(path), { recursive: true });
      own(dirname(path));
      writeFileSync(path, text, { mode });
      own(path);
    },
    close: async () => {
      await host.end();
      for (const release of releases) release();
      await isolationService.end();
      // A plain user's podman keeps its state in `home`. The watcher beside a client calls it up to 2 s
      // late, which creates folders while they are removed: rmSync's retries do not list them again.
      if (uid !== 0) await endAll();
      rmSync(top, { recursive: true, force: true });
    },
  };
}

/** As the product runs programs, but as somebody else. */
function runAs(
  uid: number,
  gid: number,
  env: Readonly<Record<string, string>>,
  before: () => void,
): typeof runProgram {
  return async (command, args, timeout) => {
    before();
    const options = { uid, gid, env, timeout, cwd: "/" };
    return await new Promise<ProgramResult>((resolve) => {
      execFile(command, args, options, (error, out, complaint) => {
        const code = error === null ? 0 : Number(error.code ?? 1);
        resolve({
          is: "ended",
          code,
          firstLine: out.trim(),
          lines: out.trim().split("\n"),
          errorLine: complaint.trim(),
        });
      });
    });
  };
}

/** False where it cannot be had, which is said; PAIRPTY_REQUIRE=sandbox makes that an error. */
export async function canSandbox(): Promise<boolean> {
  const ability = await probeSandbox(runProgram, findTool);
  if (!ability.ok) passOver("sandbox", new Error(ability.why));
  return ability.ok;
}
