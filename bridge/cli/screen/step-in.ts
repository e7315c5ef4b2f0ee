// Steps in to an agent's terminal from the first screen: `pairpty attach` uses the window until the
// person detaches; the bridge's own output waits.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { builtFile } from "../../build-info.ts";
import { queueOutput, printWarning } from "../output/output.ts";

export async function stepInHere(number: string, folder: string): Promise<void> {
  const resumeOutput = queueOutput();
  try {
    const verb = ["attach", number, "--step-in", "--cwd", folder];
    const child = spawn(process.execPath, [builtFile("cli.js"), ...verb], { stdio: "inherit" });
    await once(child, "close");
  } catch {
    printWarning("could not open the terminal: `pairpty attach` did not start");
  } finally {
    resumeOutput();
  }
}
