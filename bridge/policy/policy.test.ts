// Proves what the tables cannot show: the environment and folder of a request, pairpty's own files,
// programs run without a shell, and the contents of a judgement.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileExpression } from "../patterns.ts";
import { dangerousPatterns, DEFAULT_DANGEROUS_COMMANDS } from "./text-patterns.ts";
import { createCommandLists, DEFAULT_LISTS, findExpressionError } from "./command-lists.ts";
import { DEFAULT_SAFE_COMMANDS } from "./program-names.ts";
import { judgeArgv, judgeShell, type PolicyContext } from "./policy.ts";
import { toAskingLevel, stricterVerdict } from "./verdict.ts";
import { runs } from "../../test/support/property-runs.ts";

const OWN: PolicyContext = {
  cwd: "/home/u/work/app",
  ownFolders: ["/home/u/.config/pairpty", "/home/u/.local/state/pairpty", "/run/user/1000/pairpty"],
  ownProgram: "/opt/pp/dist",
};

describe("A1 verdicts", () => {
  it("A1 the stricter of two holds", () => {
    expect(stricterVerdict("safe", "unknown")).toBe("unknown");
    expect(stricterVerdict("blocked", "dangerous")).toBe("blocked");
  });

  it("A1 says why, the worst first", () => {
    const { why } = judgeShell("frobnicate; rm x");
    expect(why).toEqual(["`rm` deletes files", "`frobnicate` isn't on the safe list"]);
  });

  it("A51 whoever asks by level takes a blocked command for dangerous", () => {
    const judgement = judgeShell("echo 'rm -rf /'");
    expect(judgement).toMatchObject({ verdict: "blocked", level: "safe" });
    expect(toAskingLevel(judgement)).toBe("dangerous");
    expect(toAskingLevel(judgeShell("ls"))).toBe("safe");
    expect(toAskingLevel(judgeShell("frobnicate"))).toBe("unknown");
  });
});

describe("A2 the floor", () => {
  it.each([
    "echo 'rm -rf /'",
    "echo 'rm  -fr /tmp'",
    'echo "a > /dev/sda"',
    "echo 'a >| /dev/mem'",
    "echo 'x | sh'",
    "echo 'x|bash -s'",
    "echo 'x || bash y'",
    "echo 'x; eval y'",
    "echo 'a `b` c'",
    "echo 'a $(b) c'",
  ])("A2 the terminal tools' pattern counts inside quotes: %j", (command) => {
    expect(judgeShell(command)).toMatchObject({ verdict: "blocked", level: "safe" });
  });

  it.each(["echo a dd b", "git commit -m 'x reboot'", "echo 1; git log reset", "ls sudo -x"])(
    "A2 the service's expression counts anywhere: %j",
    (command) => {
      expect(judgeShell(command)).toMatchObject({ verdict: "dangerous", level: "dangerous" });
    },
  );

  it.each(["null", "stdout", "stderr", "fd/2"])("A31 /dev/%s is no device", (name) => {
    expect(judgeShell(`ls > /dev/${name}`).verdict).toBe("safe");
    expect(judgeArgv(["echo", `> /dev/${name}`]).verdict).toBe("safe");
  });

  it.each(["tty", "stdin", "nullx", "null.bak", "fd/x", "tcp/h/1", "null/../sda"])(
    "A9 A31 /dev/%s is one",
    (name) => {
      expect(judgeShell(`ls > /dev/${name}`).verdict).toBe("blocked");
    },
  );
});

describe("A2 a word that is quoted, or an argument", () => {
  it.each([
    'grep -rn "sudo" README.md',
    "grep -rn 'reboot' src",
    "grep -n 'dd' x",
    "git commit -m 'sudo'",
    "git log --grep 'shutdown' -n 5",
  ])("A30 is no command: %j", (command) => {
    expect(judgeShell(command)).toMatchObject({ verdict: "safe", level: "safe" });
  });

  it("A30 an argument is no command without a shell, either", () => {
    expect(judgeArgv(["grep", "-rn", "sudo", "README.md"]).verdict).toBe("safe");
    expect(judgeArgv(["npm", "run", "format", "x"]).verdict).toBe("safe");
    expect(judgeArgv(["sudo", "x"]).level).toBe("dangerous");
    expect(judgeArgv(["env", "rm", "-r", "x"])).toMatchObject({
      verdict: "blocked",
      level: "dangerous",
    });
  });

  it.each(["s'u'do x", "su\\do x", "env 'sudo' x", "'rm' -r x"])(
    "A30 a quoted name is one: %j",
    (command) => {
      expect(judgeShell(command)).toMatchObject({ verdict: "blocked", level: "dangerous" });
    },
  );
});

describe("A6 globs among arguments", () => {
  it.each([
    "pnpm -r --filter ./packages/* build",
    "pnpm --filter packages/** test",
    "frob src/* x",
    "pylint src/* tests",
    "cargo fmt -- src/*",
  ])("A40 are files: %j", (command) => {
    expect(judgeShell(command).verdict).toBe("unknown");
  });

  it.each([
    "strace /bin/?? x",
    "strace /bin/* x",
    "strace r? x",
    "cd /bin; strace ?? x",
    "frob /bin/?m x",
  ])("A33 A40 or programs: %j", (command) => {
    expect(judgeShell(command).verdict).toBe("blocked");
  });
});

describe("A12 programs without a shell", () => {
  it.each([
    [["npm", "run", "dev"], "safe"],
    [["echo", "a; rm x"], "safe"],
    [["echo", "a && kill 1"], "safe"],
    [["ls", "-la", "*"], "safe"],
    [["grep", "$HOME", "f"], "safe"],
    [["frobnicate"], "unknown"],
    [[], "unknown"],
    [[""], "unknown"],
    [["npm run dev"], "unknown"],
    [["rm x"], "blocked"],
    [["/bin/sh", "-c", "rm x"], "blocked"],
    [["env", "rm", "x"], "blocked"],
    [["echo", "> /dev/sda"], "blocked"],
    [["npm", "run", "x", "|", "bash"], "blocked"],
    [["echo", "a\u202Eb"], "unknown"],
    [["echo", "\uE000"], "unknown"],
  ] as const)("A12 A48 A49 %j is %s", (argv, verdict) => {
    expect(judgeArgv(argv).verdict).toBe(verdict);
  });
});

describe("A12 the user's own list", () => {
  const lists = createCommandLists([
    ...DEFAULT_SAFE_COMMANDS.filter((name) => name !== "ls"),
    "make",
  ]);

  it.each([
    ["make x", "safe"],
    ["/usr/bin/make -j4", "safe"],
    ["git log --output=x", "unknown"],
    ["git log", "safe"],
    // Default names keep their rules, also if the user lists them again.
    ["tsc --outDir /", "unknown"],
    ["ls", "unknown"],
    ["make SHELL='rm x'", "blocked"],
    ["make x > y", "unknown"],
    ["./make x", "unknown"],
    ["PATH=. make x", "unknown"],
  ] as const)("A12 A47 with make and without ls on it, %j is %s", (command, verdict) => {
    expect(judgeShell(command, { lists }).verdict).toBe(verdict);
  });
});

const WORDS =
  "rm|-|r|dd|chmod|chown|rmdir|find|-delete|-exec|sudo|del|format|reboot|shutdown|git|reset| |\n|x".split(
    "|",
  );

describe("K16 the user's own expressions", () => {
  const lists = createCommandLists(DEFAULT_SAFE_COMMANDS, [
    "(^|\\s)dd\\s",
    "git status.*--short",
    "^wc",
  ]);

  it.each([
    ["git status --short", "dangerous", "dangerous"],
    ["git st'at'us --short", "dangerous", "dangerous"],
    ["ls && git status --short", "dangerous", "dangerous"],
    ["git log; wc -l x", "dangerous", "dangerous"],
    ["git status", "safe", "safe"],
    // One default expression that the user kept, and two that were removed: the policy's own rules
    // still apply.
    ["dd x", "blocked", "dangerous"],
    ["git reset", "dangerous", "unknown"],
    ["sudo x", "blocked", "unknown"],
  ] as const)("K16 %j is %s, level %s", (command, verdict, level) => {
    expect(judgeShell(command, { lists })).toMatchObject({ verdict, level });
  });

  it("K16 counts for argv, too, and is named", () => {
    const judged = judgeArgv(["git", "status", "--short"], { lists });
    expect(judged).toMatchObject({ verdict: "dangerous", why: ["pattern: git status.*--short"] });
  });

  it("K16 K31 ends where backtracking would take hours, and what is too long for it is dangerous", () => {
    const slow = createCommandLists(DEFAULT_SAFE_COMMANDS, [
      "(x+x+)+y",
      "([a-z]+ )*!{1,60}",
      "(a|b|c){60}z",
    ]);
    const line = `echo ${"abc x".repeat(12_000)}`;
    expect(judgeShell(line, { lists: slow }).level).toBe("dangerous");
    expect(judgeShell(line.slice(0, 2_000), { lists: slow }).level).toBe("safe");
  });

  it("K30 look-around and references back are told as what they are", () => {
    expect(findExpressionError("(?=x)")).toMatch(/not a regular expression/);
    expect(findExpressionError("(a)\\1")).toMatch(/not a regular expression/);
    expect(findExpressionError("a{900}")).toMatch(/too costly/);
    expect(findExpressionError("")).toMatch(/empty/);
    for (const source of DEFAULT_DANGEROUS_COMMANDS)
      expect(findExpressionError(source)).toBeUndefined();
  });

  it("K16 the service's own expressions, compiled, find what the policy's table finds", () => {
    const compiled = DEFAULT_DANGEROUS_COMMANDS.map((source) => compileExpression(source, 200));
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...WORDS), { maxLength: 8 }), (words) => {
        const text = words.join("");
        const found = compiled.some((one) => typeof one !== "string" && one.matches(text));
        expect(dangerousPatterns(text, DEFAULT_LISTS.dangerous).length > 0, text).toBe(found);
      }),
      runs(2_000),
    );
  });
});

describe("A17 the folder", () => {
  const context = { cwd: "/home/u/app" };

  it.each([
    "node /home/u/app/x.js",
    "cd /home/u/app/web && npm test",
    "cd web && npm run build",
    "npm --prefix /home/u/app/web test",
    "npm --prefix=web test",
    "git -C /home/u/app/sub status",
    "mkdir -p /home/u/app/a/b",
    "npm test && cd .. && ls",
  ])("A52 %j stays in it", (command) => {
    expect(judgeShell(command, context).verdict).toBe("safe");
  });

  it.each([
    "node /home/u/app2/x.js",
    "cd /home/u && npm test",
    "cd web/../.. && npm test",
    "npm --prefix /home/u test",
  ])("A52 %j leads out of it", (command) => {
    expect(judgeShell(command, context).verdict).toBe("unknown");
  });
});

describe("A10 the request's environment and folder", () => {
  it.each([
    [{ FOO: "1" }, "safe"],
    [{ PATH: "/tmp" }, "unknown"],
    [{ NODE_OPTIONS: "--require ./x.js" }, "unknown"],
    [{ GIT_DIR: "/tmp/x" }, "unknown"],
    [{ PYTHONSTARTUP: "x" }, "unknown"],
    [{ PERL5OPT: "-Mx" }, "unknown"],
    [{ RUBYOPT: "-rx" }, "unknown"],
    [{ npm_config_script_shell: "x" }, "unknown"],
    [{ EDITOR: "vim" }, "unknown"],
    [{ LD_PRELOAD: "./x.so" }, "dangerous"],
    [{ BASH_ENV: "./x" }, "dangerous"],
    [{ ENV: "./x" }, "dangerous"],
    [{ "BASH_FUNC_ls%%": "() { x; }" }, "dangerous"],
    [{ GIT_PAGER: "rm x" }, "blocked"],
    [{ PROMPT_COMMAND: "kill 1" }, "blocked"],
    [{ PAIRPTY_TOKEN: "x" }, "blocked"],
    [{ FOO: "$(id)" }, "blocked"],
    [{ FOO: "/home/u/.config/pairpty/key" }, "blocked"],
  ] as const)("A10 A42 A43 with %j, ls is %s", (env, verdict) => {
    expect(judgeArgv(["ls"], { ...OWN, env }).verdict).toBe(verdict);
    expect(judgeShell("ls", { ...OWN, env }).verdict).toBe(verdict);
  });

  it("A4 a line's words know the request's variables", () => {
    expect(judgeShell("$C x", { env: { C: "rm" } }).verdict).toBe("blocked");
    expect(judgeShell("$C x", { env: { C: "ls" } }).verdict).toBe("safe");
  });

  it("A44 the folder counts", () => {
    expect(judgeArgv(["ls"], { ...OWN, cwd: "/home/u/.config/pairpty/x" }).verdict).toBe("blocked");
    expect(judgeArgv(["ls"], { cwd: "relative" }).verdict).toBe("unknown");
    expect(judgeArgv(["ls"], OWN).verdict).toBe("safe");
  });
});

describe("A11 pairpty's own folders", () => {
  it.each([
    "cat ~/.config/pairpty/key",
    "cat $HOME/.config/pairpty/key",
    "cat ../../.config/pairpty/key",
    "cat ~/.config/p*/key",
    "cat ~/.config/*/key",
    "ls ~/.config/{pairpty,x}",
    "cd ~/.config && cat pairpty/key",
    "cd ~; cat .config/pairpty/key",
    "tar cf - -C /home/u/.config/pairpty .",
    "grep x --file=/home/u/.config/pairpty/x y",
    "cat /home/u/.config/./pairpty//k",
    "cat /proc/self/root/home/u/.config/pairpty/k",
    "X=/home/u/.config; cat $X/pairpty/k",
    "X=/home/u/.config/pairpty ls",
    'cat ~/.config/pair"pty"/k',
    "echo x > ~/.config/pairpty/x",
    "cat < ~/.config/pairpty/k",
    "node -e 'open(\"/home/u/.config/pairpty/k\")'",
    "curl --unix-socket /run/user/1000/pairpty/s http://x",
    "bash -c 'cat ~/.config/pairpty/key'",
    "find ~/.local/state/pairpty -name x",
    "node /opt/pp/dist/bridge/cli.js share",
    "uvx pairpty",
    "pipx run pairpty mcp",
    "npm install -g pairpty",
    "npm i -g pairpty@latest",
    "npm isntall pairpty",
    "npm i -- pairpty",
    "npm i x@npm:pairpty@1",
    "npm link pairpty",
    "yarn global add pairpty",
    "yarn add pairpty",
    "bun install -g pairpty",
    "nc -U /run/user/1000/p*y/abc/bridge.sock",
    "socat - UNIX-CONNECT:/run/user/100?/*/abc/x.sock",
    "nc -U $XDG_RUNTIME_DIR/*/abc/mcp.sock",
    "nc -U /run/*/*/*/*/host.sock",
    "node --import /opt/pp/dist/x.js a.js",
    "node --import=file:///opt/pp/di%73t/x.js a.js",
    "node -r/opt/pp/dist/a.js x.js",
    "/opt/pp/dist/bridge/cli.js",
    "cd /opt/pp; node dist/bridge/cli.js",
    "cat /proc/self/cwd/../../.config/pairpty/key",
    "cat /proc/self/task/1/root/home/u/.config/pairpty/k",
    "cat /proc/self/root/proc/self/root/home/u/.config/pairpty/k",
    "cat /dev/fd/../root/home/u/.config/pairpty/k",
    "env -C /home/u/.config cat pairpty/key",
    "env --chdir=/home/u/.config cat pairpty/key",
    "git -C /home/u/.config show pairpty/key",
    "tar -C /home/u -cf - .config/pairpty",
    "tar cfC x.tar /home/u/.config pairpty",
    "tar --directory=/home/u/.config -cf x pairpty",
    "make -C /home/u/.config -f pairpty/x",
    "npm --prefix /home/u/.config/pairpty x",
    "cd; cat .config/pairpty/key",
    "CDPATH=/home/u/.config; cd pairpty && cat key",
  ])("A11 J3 blocks %j, and says that it is about pairpty itself", (command) => {
    const judgement = judgeShell(command, OWN);
    expect(judgement).toMatchObject({ verdict: "blocked", isAboutUs: true });
  });

  it.each([
    "python -c 'os.system(\"rm x; pairpty approve y\")'",
    "PAIRPTY_X=1 ls",
    "env -u PAIRPTY_TERMINAL ls",
    "awk 'BEGIN { system(\"rm x; pairpty share\") }'",
    "sh -c 'pairpty mcp' & rm -rf x",
    "if pairpty",
  ])("A11 J3 %j is about pairpty, whatever else is in it", (command) => {
    expect(judgeShell(command, OWN).isAboutUs).toBe(true);
  });

  it("A11 J3 other blocked commands are not about pairpty", () => {
    for (const command of ["rm -rf x", "sudo ls", "curl x | sh", "echo $(ls)", "kill 1"]) {
      expect(judgeShell(command, OWN)).not.toHaveProperty("isAboutUs");
    }
  });

  it.each([
    "ls ~",
    "ls ..",
    "ls /",
    "grep -r pairpty README.md",
    "cd pairpty && ls",
    "cat a/b",
    "ls $D/*",
    "ls pairpty/*",
    "find . -name x",
    "grep -r x .",
    "ls -R",
    "cat /proc/cpuinfo",
    "cat /a/proc/root/x",
    "grep PAIRPTY_TERMINAL src",
    "npm update pairpty-theme typescript",
    "npm ci",
    "cat src/mcp.sock",
  ])("A11 leaves %j alone", (command) => {
    expect(judgeShell(command, OWN).verdict).toBe("safe");
  });

  it.each([
    "cat /proc/thread-self/cwd/x",
    "cat /proc/1/root/etc/x",
    "cat /proc/$X/cwd/x",
    "cat ../../../../proc/self/cwd/x",
    "cat /pro?/self/cw*/x",
    "cat /dev/fd/../cwd/x",
    "cat /dev/fd/3/x",
    "cat < /proc/self/cwd/x",
    "cd /proc; cat self/cwd/x",
    "grep -r x ~/.config",
    "grep -r x ~",
    "cp -r ~/.config x",
    "rsync -a ~/.config x",
    "tar cf x ~/.config",
    "find / -name x",
    "ls -R ~",
    "cd ~; ls -R",
    "du ~",
    "rg key ~/.local",
    "ln -s ~/.config x",
  ])("A45 a place that no one can judge, or all of a folder with ours in it: %j", (command) => {
    expect(judgeShell(command, OWN).verdict).toBe("dangerous");
  });

  it("A45 a folder around them is at best unknown", () => {
    expect(judgeShell("ls ~/.config", OWN).verdict).toBe("unknown");
  });

  const INSTALLED: PolicyContext = {
    cwd: "/home/u/app",
    ownFolders: ["/home/u/.config/pairpty"],
    ownProgram: "/home/u/app/node_modules/pairpty/dist",
  };

  it.each([
    "grep -rn foo src",
    "grep -rn foo .",
    "grep -rn foo",
    "grep -rn / src",
    "find src -name '*.ts'",
    "find . -name '*.ts' -not -path './node_modules/*'",
    "ls -R",
    "ls node_modules/pairpty/dist",
    "grep -rn foo node_modules/pairpty",
    "cat node_modules/pairpty/package.json",
    "cat node_modules/pairpty/dist/bridge/cli.js",
    "head -5 < node_modules/pairpty/dist/bridge/cli.js",
    "tree -L 2",
    "rg foo src",
    "rg foo",
    "fd x src",
    "du -sh src",
  ])("A46 an installed pairpty is no secret: %j", (command) => {
    expect(judgeShell(command, INSTALLED).verdict).toBe("safe");
  });

  it.each(["du -sh *", "tar czf x.tgz .", "cp -r src x"])(
    "A46 nor a reason to refuse %j",
    (command) => {
      expect(judgeShell(command, INSTALLED).verdict).toBe("unknown");
    },
  );

  it.each([
    "node node_modules/pairpty/dist/bridge/cli.js share",
    "cp x node_modules/pairpty/dist/bridge/cli.js",
    "echo x > node_modules/pairpty/dist/bridge/cli.js",
    "cp node_modules/pairpty/dist/bridge/cli.js x.js",
    "node --import ./node_modules/pairpty/dist/x.js y.js",
    "sed -i s/a/b/ node_modules/pairpty/dist/bridge/cli.js",
    "NODE_OPTIONS=--import=/home/u/app/node_modules/pairpty/dist/x.js npm test",
    "node -e 'import(\"/home/u/app/node_modules/pairpty/dist/x.js\")'",
    "cd node_modules/pairpty && node dist/bridge/cli.js",
  ])("A46 an installed pairpty is neither run nor changed: %j", (command) => {
    expect(judgeShell(command, INSTALLED).verdict).toBe("blocked");
  });

  it.each(["grep -rn foo src", "rg foo src", "find src -name x", "fd x src", "ls -R src"])(
    "A45 in a folder with ours in it, the folder that is named counts: %j",
    (command) => {
      const { verdict, why } = judgeShell(command, { ...OWN, cwd: "/home/u" });
      expect(["safe", "unknown"], why.join("; ")).toContain(verdict);
    },
  );

  it.each([
    "grep -rn foo",
    "grep -rn foo .",
    "grep -rn -e foo .config",
    "rg foo",
    "rg -e foo .config",
    "rg --files",
    "find -name x",
    "find src .config -name x",
    "fd x",
    "ls -R",
    "ls -R src .config",
    "du",
  ])("A45 and here, or around ours, it does not pass: %j", (command) => {
    expect(judgeShell(command, { ...OWN, cwd: "/home/u" }).verdict).toBe("dangerous");
  });

  it("A11 our script in the working folder is ours", () => {
    const context = { cwd: "/srv/node_modules/pairpty" };
    expect(judgeArgv(["node", "dist/bridge/cli.js", "share"], context).verdict).toBe("blocked");
  });
});

it.each([
  `awk 'BEGIN{ print length /"/ ; system("touch x"); y = "/" }'`,
  `awk 'BEGIN{ print length /"/ ; print "a" > "x"; y = "/" }'`,
  `awk '{ f /"/ ; system("touch x"); y = "/" }'`,
  `awk 'BEGIN{x=1system("touch p")}'`,
  `awk 'BEGIN{x=1e5system("touch p")}'`,
  `awk 'BEGIN{x = 1length /"/; system("touch p") #"/\n}'`,
  `awk 'BEGIN{print 1length /;/ > "p"}'`,
  `awk '/[]/]"/ {system("touch p")} #"'`,
  `awk '/[^]/]"/ {system("touch p")} #"'`,
  `awk '{print "a",\n\n"b" > "p"}'`,
  `awk '{printf("%s",\n#c\n"b") > "p"}'`,
  `awk '{1getline < "/etc/hostname"}'`,
  `awk '{print | "sh"}'`,
])("A8 a slash behind a word of awk may begin an expression: %s", (line) => {
  expect(judgeShell(line).verdict).not.toBe("safe");
});

it.each([
  "awk '{ s += $1 } END { print s / NR }'",
  "awk '$3 > 100 { print $1 / 1024 }' f",
  "awk -F/ '{ print $NF }' f",
  "awk '/error|warn/ { print $2 }' f",
  "awk '{ print $1 \"|\" $2 }' f",
  "awk '!seen[$0]++' f",
  "awk 'NR > 1 && $3 > 5 { print $1, $2 }' f",
])("A8 a division is no doubt: %s", (line) => {
  expect(judgeShell(line).verdict).toBe("safe");
});

it.each(["VIMRUNTIME=vr git commit", "VIM=vr git commit", "NVIM_APPNAME=x git commit"])(
  "A10 where an editor loads its code from is a deciding variable: %s",
  (line) => {
    expect(judgeShell(line).verdict).toBe("unknown");
  },
);
