// Proves which image or folder a container uses, or why there is none.

import { expect, test } from "vitest";
import type { RunProgram } from "../../processes/run-program.ts";
import { formatUnavailable } from "../find-tool.ts";
import type { ContainerSettings, Runtime } from "../isolation-settings.ts";
import type { ContainerProgram } from "./container-probe.ts";
import { probeSource } from "./container-probe.ts";

const IMAGE = "node:20-bookworm";

/** Probes with a program that has one image and fails for any other. */
async function findSource(settings: Partial<ContainerSettings>, runtime: Runtime = "podman") {
  const run: RunProgram = async (_program, args) => {
    const code = args.at(-1) === IMAGE ? 0 : 125;
    return { is: "ended", code, firstLine: "", lines: [], errorLine: "" };
  };
  const program: ContainerProgram = {
    runtime,
    program: `/usr/bin/${runtime}`,
    version: "5",
    options: [],
    runOptions: [],
    identity: [],
    enforcedLimits: { memory: true, pids: true, cpu: true },
  };
  const source = await probeSource(run, { options: [], ...settings }, program);
  return source.ok ? source.value : formatUnavailable(source);
}

test("I2 a container is made of an image that is here, or of a folder that exists", async () => {
  expect(await findSource({ image: IMAGE })).toEqual([IMAGE]);
  expect(await findSource({ rootfs: "/usr" })).toEqual(["--rootfs", "/usr"]);
});

test("I2 what a container lacks is told in a sentence, with what to do", async () => {
  expect(await findSource({})).toMatch(
    /^Isolation level container needs an image\. Set container\.image/,
  );
  expect(await findSource({ image: "other" })).toBe(
    "The image other is not on this machine. Pull it: podman pull other.",
  );
  expect(await findSource({ rootfs: "/nowhere" })).toMatch(/^\/nowhere does not exist\. /);
  expect(await findSource({ rootfs: "/usr" }, "docker")).toMatch(/^docker cannot run a root file/);
});
