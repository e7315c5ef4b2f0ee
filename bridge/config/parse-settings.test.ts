// Parsing what people write, and the errors for invalid values.

import fc from "fast-check";
import { expect, test } from "vitest";
import { findNearestSetting } from "./nearest-setting.ts";
import { parseEnvironment, parseFile, parseFlags, findUnknownVariables } from "./parse-settings.ts";
import { escapeInvisible, formatProblem, formatValue } from "./config-problems.ts";
import { SETTINGS } from "./schema.ts";

const listProblems = (text: string) =>
  parseFile("f.json", text).problems.map((one) => `${formatProblem(one)}. ${one.right}`);

test("K5 every mistake of a file is told, with key, value and what would be right", () => {
  const file = {
    $schema: "x",
    port: 65_536,
    logLevel: "loud",
    relai: "x",
    agents: { idle: "9m", roots: "/tmp", environment: ["a b"], idel: 1 },
  };
  expect(listProblems(JSON.stringify(file)).sort()).toEqual([
    'f.json: agents.environment: ["a b"] is not a list of variables\' names. Write a list of names, ["NPM_TOKEN"], at most 64.',
    'f.json: agents.idel: unknown setting. Did you mean "agents.idle"?',
    'f.json: agents.idle: "9m" is not a time for agents\' idle terminals. Write 1s to 5m: the limit can be made tighter, not wider.',
    'f.json: agents.roots: "/tmp" is not a list of folders. Write a list of paths, ["../shared"], at most 64.',
    'f.json: logLevel: "loud" is not a level. Write one of debug, info, warn, error, silent.',
    "f.json: port: 65536 is not a port. Write a whole number from 1 to 65535, or 0 for any free one.",
    'f.json: relai: unknown setting. Did you mean "relay"?',
  ]);
});

/** The documented example configuration. */
const SEED = {
  terminal: {
    agentDefaults: {
      provider: "local",
      bash: { cropOutput: 10_000, timeoutSeconds: 60 },
      persistent: { minInterval: 1, settleInterval: 2, maxInterval: 30 },
    },
    providers: { local: { type: "local" } },
    safeCommands:
      "awk cat cd chdir diff echo find git grep head help hostname id ipconfig tee ls netstat ps pwd sort tail tree type uname uniq wc which touch mkdir npm yarn bun tsc node npx bunx vitest".split(
        " ",
      ),
    dangerousCommands: [
      "(^|\\s)dd\\s",
      "(^|\\s)rm.*-.*r",
      "(^|\\s)chmod.*-.*r",
      "(^|\\s)chown.*-.*r",
      "(^|\\s)rmdir\\s",
      "find.*-(delete|exec)",
      "(^|\\s)sudo\\s",
      "(^|\\s)del\\s",
      "(^|\\s)format\\s",
      "(^|\\s)reboot",
      "(^|\\s)shutdown",
      "git.*reset",
    ],
  },
};

test("K14 the service's documented configuration fits as it is, and says nothing but the defaults", () => {
  const { values, problems } = parseFile("f.json", JSON.stringify(SEED));
  expect(problems).toEqual([]);
  expect(Object.keys(values)).toHaveLength(9);
  for (const { key, default: usual } of SETTINGS) {
    if (key.startsWith("terminal.")) expect(values[key], key).toEqual(usual);
  }
});

test("K14 K27 what is wrong below terminal is told by its key, once, and what is unknown with what was meant", () => {
  const file = {
    terminal: {
      agentDefaults: { bash: { timeoutSecond: 1, cropOutput: "all" }, persistant: {} },
      providers: { local: { type: "locale" }, box: { type: "sandbox", image: "x" } },
      safeCommands: ["ls -la", "a/b"],
      dangerousCommands: ["(?=x)y", "ok"],
      safe: [],
    },
  };
  expect(listProblems(JSON.stringify(file)).sort()).toEqual([
    'f.json: terminal.agentDefaults.bash.cropOutput: "all" is not a number of characters. Write a whole number from 1 to 1000000.',
    'f.json: terminal.agentDefaults.bash.timeoutSecond: unknown setting. Did you mean "terminal.agentDefaults.bash.timeoutSeconds"?',
    expect.stringMatching(/^f.json: terminal.agentDefaults.persistant: unknown setting\. /),
    expect.stringMatching(
      /^f.json: terminal.dangerousCommands: .* is not a list of regular expressions. "\(\?=x\)y": The pattern is not a regular expression/,
    ),
    expect.stringMatching(/^f.json: terminal.providers: .* is not a set of providers\. /),
    expect.stringMatching(/^f.json: terminal.safe: unknown setting\. /),
    'f.json: terminal.safeCommands: ["ls -la","a/b"] is not a list of programs\' names. Write a list of plain names, ["ls", "make"], at most 512.',
  ]);
  expect(listProblems('{"terminal":{"agentDefaults":[]}}')).toEqual([
    "f.json: terminal.agentDefaults: [] is not an object. Write { … } with provider, bash, persistent in it.",
  ]);
});

test("K14 what stands below terminal has no flag and no variable", () => {
  const environment = { PAIRPTY_TERMINAL_SAFE_COMMANDS: "x" };
  expect(parseEnvironment(environment).values).toEqual({});
  expect(findUnknownVariables(environment)).toHaveLength(1);
  expect(parseFlags({ "": "x", undefined: "y" }).values).toEqual({});
});

test("K5 what is no JSON is told with line and column; what is no object, as such", () => {
  expect(listProblems('{\n  "port": 1,\n}')[0]).toMatch(/not JSON: .*\(line 3,? column 1\)/);
  expect(listProblems("")[0]).toMatch(/not JSON/);
  expect(listProblems("[1]")).toEqual([
    expect.stringContaining("[1] is not an object. Write { … } with relay,"),
  ]);
  expect(listProblems('{"agents":7}')).toEqual([
    "f.json: agents: 7 is not an object. Write { … } with roots, environment, idle, isolation in it.",
  ]);
  expect(parseFile("f.json", '\u{feff}{"port":7}')).toEqual({ values: { port: 7 }, problems: [] });
  expect(listProblems('{"__proto__":{"port":1}}')).toEqual([
    expect.stringContaining("unknown setting"),
  ]);
});

test("K8 a relay's key in a file is refused without being shown", () => {
  for (const name of ["relayKey", "relay_key", "RELAY_KEY", "key", "token", "relaySecret"]) {
    const [sentence] = listProblems(JSON.stringify({ [name]: "hunter2hunter2" }));
    expect(sentence, name).toContain("Set PAIRPTY_RELAY_KEY in the environment");
    expect(sentence, name).not.toContain("hunter2");
  }
  expect(listProblems('{"relay":"https://ada:hunter2@relay.example.com"}')[0]).not.toContain(
    "hunter2",
  );
});

test("K6 variables are read in the forms that text allows", () => {
  const { values, problems } = parseEnvironment({
    PAIRPTY_RELAY: "https://relay.example.com",
    PAIRPTY_PORT: "7420",
    PAIRPTY_OPEN: "Yes",
    PAIRPTY_QUIET: "0",
    PAIRPTY_SHELL: "",
    PAIRPTY_LOG_LEVEL: "debug",
    PAIRPTY_AGENTS_ROOTS: "/a:b c:",
    PAIRPTY_AGENTS_ENVIRONMENT: "A, B",
    PAIRPTY_AGENTS_IDLE: "90s",
  });
  expect(problems).toEqual([]);
  expect(values).toEqual({
    relay: "https://relay.example.com",
    port: 7420,
    open: true,
    quiet: false,
    logLevel: "debug",
    "agents.roots": ["/a", "b c"],
    "agents.environment": ["A", "B"],
    "agents.idle": "90s",
  });
  const wrong = { PAIRPTY_PORT: "80a", PAIRPTY_OPEN: "maybe", PAIRPTY_AGENTS_ENVIRONMENT: "a b" };
  expect(parseEnvironment(wrong).problems).toEqual([
    { source: "PAIRPTY_PORT", what: '"80a" is not a port', right: expect.any(String) },
    { source: "PAIRPTY_OPEN", what: '"maybe" is not true or false', right: expect.any(String) },
    {
      source: "PAIRPTY_AGENTS_ENVIRONMENT",
      what: '["a b"] is not a list of variables\' names',
      right: 'Write names of variables with "," between.',
    },
  ]);
});

test("K26 a variable that means nothing is named with the one that was meant", () => {
  const environment = {
    PAIRPTY_RELAI: "x",
    PAIRPTY_LOGLEVEL: "x",
    PAIRPTY_ZZZZZZZZ: "x",
    PAIRPTY_TERMINAL: "x",
    PAIRPTY_RELAY_KEY: "x",
    PAIRPTY_REQUIRE: "x",
    PAIRPTY_CONFIG: "x",
    HOME: "x",
  };
  expect(findUnknownVariables(environment)).toEqual([
    { name: "PAIRPTY_RELAI", meant: "PAIRPTY_RELAY" },
    { name: "PAIRPTY_LOGLEVEL", meant: "PAIRPTY_LOG_LEVEL" },
    { name: "PAIRPTY_ZZZZZZZZ", meant: undefined },
  ]);
});

test("K5 a file nested without end is a mistake in the file, not a fault of ours", () => {
  const deep = "[".repeat(30_000) + "]".repeat(30_000);
  expect(listProblems(deep)[0]).toContain("nested too deep to show is not an object");
  expect(listProblems(`{"port":${deep}}`)[0]).toContain("nested too deep to show is not a port");
});

test("K5 flags are held to the same schema", () => {
  const flags = { workspace: "No Spaces", agentIdle: "1s", agentRoot: ["/x"], json: true };
  const { values, problems } = parseFlags(flags);
  expect(values).toEqual({ "agents.idle": "1s", "agents.roots": ["/x"] });
  expect(problems.map(formatProblem)).toEqual([
    '--workspace: "No Spaces" is not a workspace\'s name',
  ]);
});

test("K24 a misspelt key finds the one that was meant, and nonsense none", () => {
  const keys = SETTINGS.map(({ key }) => key);
  for (const [word, meant] of [
    ["relai", "relay"],
    ["log_level", "logLevel"],
    ["loglevle", "logLevel"],
    ["agentIdle", "agents.idle"],
    ["idle", "agents.idle"],
    ["agent.roots", "agents.roots"],
    ["env", undefined],
    ["enviroment", "agents.environment"],
    ["colour", undefined],
    ["__proto__", undefined],
    ["", undefined],
  ] as const) {
    expect(findNearestSetting(word, keys), word).toBe(meant);
  }
});

test("K25 nothing that is shown moves the cursor or turns the text around", () => {
  const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
  expect(formatValue("a\u202eb\u0007\u200b")).toBe('"a\\u{202e}b\\u0007\\u{200b}"');
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0x10ffff })), (points) => {
      const text = String.fromCodePoint(...points);
      expect(hidden.test(escapeInvisible(text)) || hidden.test(formatValue([text]))).toBe(false);
    }),
  );
  expect(formatValue("x".repeat(5_000))).toMatch(/… \(cut: 5002 characters in all\)$/);
});

test("K5 any JSON is values or problems, never a throw", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const { values, problems } = parseFile("f.json", text);
      if (problems.length > 0) expect(values).toEqual({});
    }),
  );
  const keys = SETTINGS.map(({ key }) => key.split(".")[0] ?? "");
  const nearly = fc.dictionary(fc.constantFrom(...keys), fc.jsonValue());
  fc.assert(
    fc.property(nearly, (data) => {
      const { problems } = parseFile("f.json", JSON.stringify(data));
      for (const problem of problems) expect(formatProblem(problem)).toMatch(/^f\.json: /);
    }),
  );
});
