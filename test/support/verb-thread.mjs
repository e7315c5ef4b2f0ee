// Owns one verb after another of the built command line in a thread that stays: loading the program
// costs far more than most verbs. Each finds the folder, the environment, the arguments and the
// streams that a process of its own would give it.

import { on } from "node:events";
import os from "node:os";
import { Readable } from "node:stream";
import { parentPort, workerData } from "node:worker_threads";

/** What `process.exit` throws: here it must not end the thread. */
class Exit extends Error {
  constructor(code) {
    super(`exit ${code}`);
    this.code = code;
  }
}

let cwd = "";
let program;
let printed = { stdout: "", stderr: "" };

process.cwd = () => cwd;
process.exit = (code) => {
  throw new Exit(code ?? process.exitCode ?? 0);
};
// The system's answer is about the process, whose HOME is another one.
os.homedir = () => process.env["HOME"] ?? "";
// A thread may not set it; verbs that do so before they say what is wrong make nothing here.
process.umask = () => 0o022;
for (const name of ["stdout", "stderr"]) {
  process[name].write = (text) => {
    printed[name] += text;
    return true;
  };
}

for await (const [asked] of on(parentPort, "message")) {
  ({ cwd } = asked);
  printed = { stdout: "", stderr: "" };
  process.exitCode = undefined;
  Object.defineProperty(process, "stdin", {
    value: Readable.from([asked.input ?? ""]),
    configurable: true,
  });
  process.argv = [process.execPath, workerData.cli, ...asked.args];
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, asked.environment);
  const code = await run();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  parentPort.postMessage({ code, ...printed });
}

async function run() {
  const before = new Set(process.listeners("exit"));
  try {
    const { loadProgram } = await import(workerData.loader);
    program ??= loadProgram("program");
    await program.commandLine();
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    return error.code;
  } finally {
    // A run is over here; its process would be.
    const added = process.listeners("exit").filter((listener) => !before.has(listener));
    for (const listener of added) process.off("exit", listener);
  }
  return process.exitCode ?? 0;
}
