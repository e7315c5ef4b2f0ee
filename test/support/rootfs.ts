// Owns a small root file system for containers under test, made of busybox: no image is downloaded.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findTool } from "../../bridge/isolation/find-tool.ts";
import { isRequired, passOver } from "./required.ts";

const FOLDERS = ["bin", "dev", "etc", "home", "proc", "root", "run", "sys", "tmp", "usr", "var"];

/** podman by its name, as it works on machines without systemd. */
export const PODMAN = { runtime: "podman", options: ["--runtime", "runc"] } as const;

/** False where it cannot be had, which is said; PAIRPTY_REQUIRE=container makes that an error. */
export function canContain(): boolean {
  const problem = whyNot();
  if (problem !== undefined) passOver("container", new Error(problem));
  return problem === undefined;
}

/** By trying it. Where it has to be there the tests are the trial, and a container costs half a second. */
function whyNot(): string | undefined {
  const missing = ["podman", "busybox", "runc"].filter((name) => findTool(name) === undefined);
  if (missing.length > 0) return `${missing.join(", ")} missing`;
  if (isRequired("container")) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "pairpty-rootfs-"));
  const limits = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096"];
  const run = ["run", "--rm", "--network", "none", ...limits, "--rootfs", makeRootfs(folder)];
  const args = [...PODMAN.options, "--log-level", "fatal", ...run, "/bin/true"];
  const { status, stderr } = spawnSync(findTool("podman") ?? "", args, {
    encoding: "utf8",
    timeout: 30_000,
  });
  rmSync(folder, { recursive: true, force: true });
  return status === 0 ? undefined : stderr.trim();
}

/** Of a folder's owner, who must be able to write it: podman puts files into its /etc. */
export function makeRootfs(top: string): string {
  const folder = join(top, "rootfs");
  for (const name of FOLDERS) mkdirSync(join(folder, name), { recursive: true });
  const busybox = join(folder, "bin", "busybox");
  copyFileSync(findTool("busybox") ?? "", busybox);
  chmodSync(busybox, 0o755);
  const { stdout } = spawnSync(busybox, ["--list"], { encoding: "utf8" });
  for (const name of stdout.split("\n").filter((one) => one !== "" && one !== "busybox")) {
    symlinkSync("busybox", join(folder, "bin", name));
  }
  writeFileSync(join(folder, "etc", "passwd"), "root:x:0:0:root:/root:/bin/sh\n");
  const { uid, gid } = statSync(top);
  spawnSync("chown", ["-R", `${uid}:${gid}`, folder]);
  return folder;
}
