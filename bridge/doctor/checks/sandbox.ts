// Checks bubblewrap, by which agents' commands can be kept in a sandbox: there, and able to unshare.

import type { Finding } from "../finding.ts";
import { ok, warn } from "../finding.ts";
import { runProgram } from "../../processes/program.ts";

const ANSWER_MS = 3_000;
const TRIAL = [
  "--unshare-all",
  "--cap-drop",
  "ALL",
  "--ro-bind",
  "/",
  "/",
  "--proc",
  "/proc",
  "--dev",
  "/dev",
];

export async function checkSandbox(): Promise<Finding> {
  if (process.platform !== "linux") return warn("bubblewrap is for Linux", "Use a container.");
  const version = await runProgram("bwrap", ["--version"], ANSWER_MS);
  if (version.is === "missing") {
    return warn(
      "bubblewrap is not installed: sandboxes for agents' commands, which are to come, will need it",
      "Nothing to do yet. Then: apt install bubblewrap, dnf install bubblewrap, or a container.",
    );
  }
  const name = version.is === "ended" ? version.out : "bubblewrap";
  const trial = await runProgram("bwrap", [...TRIAL, "true"], ANSWER_MS);
  if (trial.is === "ended" && trial.code === 0) return ok(`${name}, and it can unshare`);
  const why = trial.is === "ended" ? trial.complaint : "it does not answer";
  return warn(
    `${name} cannot make a sandbox here: ${why}`,
    "Allow unprivileged user namespaces (kernel.unprivileged_userns_clone=1; on Ubuntu kernel.apparmor_restrict_unprivileged_userns=0), or use a container.",
  );
}
