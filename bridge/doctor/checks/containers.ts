// Checks docker and podman, by which agents' commands can be kept in a container: there, and answering.

import type { Finding } from "../finding.ts";
import { ok, warn } from "../finding.ts";
import type { Ran } from "../../processes/program.ts";
import { runProgram } from "../../processes/program.ts";

const ANSWER_MS = 4_000;

export async function checkContainers(): Promise<Finding> {
  const [docker, podman] = await Promise.all([
    runProgram("docker", ["version", "--format", "{{.Server.Version}}"], ANSWER_MS),
    runProgram(
      "podman",
      ["info", "--format", "{{.Version.Version}}, rootless {{.Host.Security.Rootless}}"],
      ANSWER_MS,
    ),
  ]);
  return judgeTools([
    {
      name: "docker",
      ran: docker,
      cure: "Start its daemon, and be allowed to use it (group docker).",
    },
    {
      name: "podman",
      ran: podman,
      cure: "`podman info` says more; rootless needs /etc/subuid and /etc/subgid.",
    },
  ]);
}

export interface Tool {
  readonly name: string;
  readonly ran: Ran;
  readonly cure: string;
}

/** Pure. One that works is enough. */
export function judgeTools(tools: readonly Tool[]): Finding {
  const working = tools.flatMap(({ name, ran }) =>
    ran.is === "ended" && ran.code === 0 && ran.out !== "" ? [`${name} ${ran.out}`] : [],
  );
  if (working.length > 0) return ok(working.join("; "));
  const broken = tools.filter(({ ran }) => ran.is !== "missing");
  const [first] = broken;
  if (first === undefined) {
    return warn(
      "neither docker nor podman is installed: containers for agents' commands, which are to come, will need one",
      "Nothing to do yet. Then install one of them, if you want that.",
    );
  }
  const words = broken.map(({ name, ran }) =>
    ran.is === "ended" ? `${name} does not work: ${ran.complaint}` : `${name} does not answer`,
  );
  return warn(words.join("; "), first.cure);
}
