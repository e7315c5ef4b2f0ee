// Owns commands that run elsewhere, later or many times: ssh, containers, at, watch, parallel. What
// runs on another machine is judged, but does not change the level of this one.

import { isListedTool } from "../irreversible/judge-irreversible.ts";
import { PROGRAM_OUTPUT } from "../word-marks.ts";
import { toRuleName } from "../program-names.ts";
import { registerRule, type Rule, type Run } from "../rule.ts";
import { readOptions, valuesFor } from "./getopt.ts";
import { judgeStdin } from "./shell-programs.ts";

const SSH = { values: "BbcDEeFIiJLlmOopQRSWw", flags: "*" };

/** Judges `-o ProxyCommand=…`, also for scp and sftp. */
export function judgeSshSetting(setting: string, run: Run): void {
  const command = /^\s*"?(?:\w*Command|Match\s.*exec)"?[\s=]+([\s\S]*)$/i.exec(setting)?.[1];
  if (command !== undefined) run.judgeShellText(command.replaceAll(/^"|"$/g, ""));
}

const ssh: Rule = (args, run) => {
  const options = readOptions(args, SSH);
  for (const setting of valuesFor(options, "o")) judgeSshSetting(setting, run);
  if (valuesFor(options, "F").some((file) => file.includes(PROGRAM_OUTPUT)))
    run.note("blocked", `${run.callText()} reads its settings from another program`);
  const remote = options.operands.slice(1).filter((word, index) => index > 0 || word !== "--");
  if (remote.length > 0) run.asPossible().judgeShellText(remote.join(" "));
  else judgeStdin(run, (text) => run.asPossible().judgeShellText(text));
};

const watch: Rule = (args, run) => {
  const options = readOptions(args, {
    values: "nqs",
    flags: "*",
    long: ["interval", "equexit", "shotsdir"],
    longFlags: [
      "beep",
      "color",
      "no-color",
      "differences",
      "errexit",
      "chgexit",
      "precise",
      "no-title",
      "no-wrap",
      "exec",
      "no-rerun",
    ],
  });
  if (options.hasUnknown) run.judgeEveryStart(args);
  if (options.operands.length === 0) return;
  run.judgeArgv(options.operands);
  run.judgeShellText(options.operands.join(" "));
};

/** Judges parallel: the arguments after `:::` are commands if none precedes them. */
const parallel: Rule = (args, run) => {
  const cut = args.findIndex((word) => /^::::?\+?$/.test(word));
  const options = readOptions(cut < 0 ? args : args.slice(0, cut), {
    values: "jNnLIdEaPsSU",
    flags: "*",
    long: [
      "jobs",
      "max-args",
      "max-lines",
      "delimiter",
      "arg-file",
      "colsep",
      "joblog",
      "results",
      "delay",
      "timeout",
      "retries",
      "halt",
      "sshlogin",
      "workdir",
      "tmpdir",
      "tagstring",
      "load",
      "memfree",
      "env",
      "basefile",
      "return",
      "nice",
      "shuf",
    ],
    longFlags: [
      "bar",
      "dry-run",
      "keep-order",
      "line-buffer",
      "progress",
      "tag",
      "ungroup",
      "will-cite",
      "null",
      "pipe",
      "xargs",
      "citation",
      "verbose",
      "quote",
      "group",
      "no-notice",
    ],
  });
  if (options.hasUnknown) run.judgeEveryStart(args);
  const { operands } = options;
  const runsInput = operands.length === 0 || /^\{[^}]*\}$/.test(operands[0] ?? "");
  if (!runsInput) return run.judgeShellText(operands.join(" "));
  for (const text of cut < 0 ? [] : args.slice(cut + 1)) run.judgeShellText(text);
  judgeStdin(run, (text) => run.withStdin(false, []).judgeShellText(text));
};

/** Judges at, batch and crontab: a shell reads their input later. */
const later: Rule = (args, run, program) => {
  // `crontab -l` only prints.
  if (toRuleName(program) === "crontab" && /^-l(?: -u \S+)?$|^-u \S+ -l$/.test(args.join(" ")))
    return;
  run.note("dangerous", `${run.callText()} runs commands later`);
  run.judgeEveryStart(args);
  judgeStdin(run, (text) => {
    run.withStdin(false, []).judgeShellText(text);
    // A line of a crontab starts with five fields of time.
    for (const line of text.split("\n"))
      run.asPossible().judgeShellText(line.replace(/^\s*(?:\S+\s+){5}/, ""));
  });
};

const CONTAINER_RUNS: ReadonlySet<string> = new Set([
  "run",
  "exec",
  "create",
  "debug",
  "attach",
  "shell",
  "ssh",
  "rsh",
  "unshare",
]);

/** Words among which an image is searched: options come first, and most take a value. */
const MAX_IMAGE_WORDS = 32;
/** `registry:5000/owner/name:tag@sha256:…` */
const IMAGE =
  /^(?:[\w.-]+(?::\d+)?\/)?(?:[\w.-]+\/)*([A-Za-z][\w.-]*)(?::[\w.-]+)?(?:@sha256:\w+)?$/;
/** Images whose entry point has a different name. */
const ENTRY_POINTS: Readonly<Record<string, string>> = {
  "aws-cli": "aws",
  "azure-cli": "az",
  "terraform-light": "terraform",
  k8s: "kubectl",
};

/** Returns the program that an image runs by default, judging by the image's name. */
function findEntryPoint(image: string): string | undefined {
  const name = IMAGE.exec(image)?.[1];
  return name === undefined ? undefined : (ENTRY_POINTS[name] ?? name);
}

const container: Rule = (args, run) => {
  const verb = args.findIndex((word) => CONTAINER_RUNS.has(word));
  if (verb < 0) return;
  const rest = args.slice(verb + 1);
  run.judgeEveryStart(rest);
  judgeEntryPoints(rest, run);
};

/** Judges the entry point of an image: `docker run hashicorp/terraform destroy`, `--entrypoint=aws`. */
function judgeEntryPoints(args: readonly string[], run: Run): void {
  const given = findValue(args, "--entrypoint");
  const image = findValue(args, "--image");
  const behind = args.indexOf("--");
  if (image !== undefined && behind >= 0)
    run.asPossible().judgeArgv([findEntryPoint(image) ?? image, ...args.slice(behind + 1)]);
  for (const [index, word] of args.slice(0, MAX_IMAGE_WORDS).entries()) {
    if (word.startsWith("-")) continue;
    const program = given ?? findEntryPoint(word);
    if (program === undefined || !hasOwnRule(program)) continue;
    run.asPossible().judgeArgv([program, ...args.slice(index + 1)]);
  }
}

/** Whether a rule already judges the program: images named after a shell or a wrapper are swept. */
function hasOwnRule(program: string): boolean {
  return isListedTool(toRuleName(program)) || toRuleName(program) === "git";
}

function findValue(args: readonly string[], option: string): string | undefined {
  const at = args.findIndex((word) => word === option || word.startsWith(`${option}=`));
  if (at < 0) return undefined;
  return args[at] === option ? args[at + 1] : args[at]?.slice(option.length + 1);
}

export const REMOTE_RULES: readonly [string, Rule][] = [
  ...registerRule("ssh rsh remsh slogin dbclient", ssh),
  ...registerRule("watch gwatch", watch),
  ["parallel", parallel],
  ...registerRule("at batch crontab", later),
  ...registerRule("docker podman nerdctl docker-compose kubectl oc crictl ctr", container),
];
