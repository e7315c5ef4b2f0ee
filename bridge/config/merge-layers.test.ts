// Which layer wins, and what a project's file can set without trust.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDuration } from "../grants/duration.ts";
import { LOG_LEVELS } from "../log.ts";
import { DEFAULT_DANGEROUS_COMMANDS } from "../policy/text-patterns.ts";
import { DEFAULT_SAFE_COMMANDS } from "../policy/program-names.ts";
import type { Layers } from "./merge-layers.ts";
import { mergeLayers, listNeedingTrust } from "./merge-layers.ts";
import type { SettingKey } from "./setting-shapes.ts";
import { SETTINGS } from "./schema.ts";
import { SettingValues } from "./setting-shapes.ts";
import { runs } from "../../test/support/property-runs.ts";

const texts = fc.string({ minLength: 1, maxLength: 20 });
const seconds = (most: number) => fc.integer({ min: 10, max: most }).map((count) => `${count}s`);
const names = fc.array(fc.constantFrom("NPM_TOKEN", "X", "_y"), { maxLength: 3 });

const known: Partial<Record<SettingKey, fc.Arbitrary<unknown>>> = {
  relay: fc.constantFrom("https://a.example", "b.example", "http://127.0.0.1:1"),
  ca: texts,
  workspace: fc.constantFrom("abc", "a-long-name"),
  port: fc.integer({ min: 0, max: 65_535 }),
  shell: texts,
  logLevel: fc.constantFrom(...LOG_LEVELS),
  grace: fc.oneof(seconds(1_200), fc.constantFrom("10m", "24h", "11m")),
  "agents.roots": fc.array(texts, { maxLength: 3 }),
  "agents.environment": names,
  "agents.idle": fc.oneof(seconds(300), fc.constantFrom("5m", "1s")),
  "terminal.safeCommands": fc.oneof(
    fc.subarray([...DEFAULT_SAFE_COMMANDS]),
    fc.subarray([...DEFAULT_SAFE_COMMANDS, "make", "cargo"]),
  ),
  "terminal.dangerousCommands": fc
    .tuple(fc.subarray([...DEFAULT_DANGEROUS_COMMANDS]), fc.subarray(["make", "git push"]))
    .chain(([some, more]) =>
      fc.constantFrom([...some, ...more], [...DEFAULT_DANGEROUS_COMMANDS, ...more]),
    ),
  "terminal.agentDefaults.bash.timeoutSeconds": fc.integer({ min: 1, max: 120 }),
};

/** All settings, each set or not. */
const anyValues: fc.Arbitrary<SettingValues> = fc
  .record(
    Object.fromEntries(
      SETTINGS.map(({ key, form, example }) => {
        const fallback = form === "boolean" ? fc.boolean() : fc.constant(example);
        return [key, known[key] ?? fallback];
      }),
    ),
    { requiredKeys: [] },
  )
  .map((values) => SettingValues.parse(values));

const anyLayers: fc.Arbitrary<Layers> = fc.record({
  flag: anyValues,
  environment: anyValues,
  user: anyValues,
  project: anyValues,
});

const defaults = mergeLayers({ flag: {}, environment: {}, user: {}, project: {} }, false).values;

/** Values that a trusted project's file may set. */
function sayable(project: SettingValues): SettingValues {
  return { ...project, "approvals.onUnknownTimeout": undefined };
}

test("Q76 a project's file cannot let commands run unanswered, trusted or not", () => {
  const key = "approvals.onUnknownTimeout";
  const none = { flag: {}, environment: {}, user: {}, project: {} };
  for (const trusted of [false, true]) {
    const { values, outcomes } = mergeLayers({ ...none, project: { [key]: "allow" } }, trusted);
    expect(values[key]).toBe("deny");
    expect(outcomes.find((outcome) => outcome.key === key)).toMatchObject({
      from: "default",
      isMissed: false,
    });
    expect(mergeLayers({ ...none, user: { [key]: "allow" } }, trusted).values[key]).toBe("allow");
  }
  expect(listNeedingTrust({ [key]: "allow" })).toEqual([]);
  expect(listNeedingTrust({ "approvals.inSandbox": "ask" })).toEqual([]);
});

test("K1 whatever the layers say, the first that says something wins", () => {
  fc.assert(
    fc.property(anyLayers, (layers) => {
      const { values, outcomes } = mergeLayers(layers, true);
      for (const { key, from } of outcomes) {
        const { flag, environment, user } = layers;
        const project = sayable(layers.project);
        const all = { flag, environment, user, project, default: defaults };
        const expected = Object.entries(all).find(([, layer]) => layer[key] !== undefined);
        expect(values[key]).toEqual(expected?.[1][key]);
        expect(from).toBe(expected?.[0] ?? "default");
      }
    }),
  );
});

test("K2 K20 without trust a project's file cannot widen anything, whatever else is set", () => {
  const ms = (value: unknown) => parseDuration(String(value)) ?? Number.NaN;
  const never = SETTINGS.filter(({ project }) => project.may === "trust").map(({ key }) => key);
  expect(never).toEqual(expect.arrayContaining(["relay", "ca", "workspace", "port", "shell"]));
  expect(never).toEqual(expect.arrayContaining(["agents.roots", "agents.environment"]));
  const switches = SETTINGS.filter(({ form }) => form === "boolean").map(({ key }) => key);
  expect(switches).toEqual(expect.arrayContaining(["insecure", "open", "quiet"]));
  fc.assert(
    fc.property(anyLayers, (layers) => {
      const { values } = mergeLayers(layers, false);
      const without = mergeLayers({ ...layers, project: {} }, false).values;
      for (const key of never) expect(values[key], key).toEqual(without[key]);
      for (const key of switches) {
        // For `knock`, `true` is the tighter value.
        const tighter = key === "knock";
        if (without[key] === tighter) expect(values[key], key).toBe(tighter);
      }
      for (const key of ["grace", "agents.idle"] as const) {
        const user = layers.flag[key] ?? layers.environment[key] ?? layers.user[key];
        if (user !== undefined) expect(values[key], key).toBe(user);
        expect(ms(values[key]), key).toBeLessThanOrEqual(ms(user ?? without[key]));
      }
    }),
    runs(200),
  );
});

test("K29 without trust a project's file only takes safe names away and adds dangerous expressions", () => {
  fc.assert(
    fc.property(anyValues, (project) => {
      const layers = { flag: {}, environment: {}, user: {}, project };
      const { values } = mergeLayers(layers, false);
      const safe = values["terminal.safeCommands"] ?? [];
      expect(safe.filter((name) => !DEFAULT_SAFE_COMMANDS.includes(name))).toEqual([]);
      const dangerous = values["terminal.dangerousCommands"] ?? [];
      expect(dangerous).toEqual(expect.arrayContaining([...DEFAULT_DANGEROUS_COMMANDS]));
      expect(values["terminal.agentDefaults.bash.timeoutSeconds"]).toBeLessThanOrEqual(60);
    }),
  );
  const fewer = { "terminal.safeCommands": ["ls"] };
  const more = { "terminal.dangerousCommands": [...DEFAULT_DANGEROUS_COMMANDS, "git push"] };
  expect(listNeedingTrust({ ...fewer, ...more })).toEqual([]);
});

test("K2 what was left out is told, and trust lets exactly that through", () => {
  fc.assert(
    fc.property(anyLayers, (layers) => {
      const before = mergeLayers(layers, false);
      const after = mergeLayers(layers, true);
      const wanted = new Set(listNeedingTrust(layers.project).map(({ setting }) => setting.key));
      for (const { key, isMissed } of before.outcomes) {
        const changed = JSON.stringify(before.values[key]) !== JSON.stringify(after.values[key]);
        if (changed) expect([isMissed, wanted.has(key)], key).toEqual([true, true]);
        if (isMissed) expect(after.values[key], key).toEqual(layers.project[key]);
      }
    }),
  );
});

describe("the table", () => {
  test("K2 every default is one that a project's file may say", () => {
    for (const { key, default: usual } of SETTINGS) {
      if (usual !== undefined) expect(listNeedingTrust({ [key]: usual }), key).toEqual([]);
    }
  });

  test("K1 no two settings share a flag or a variable, and examples and defaults fit", () => {
    const flags = SETTINGS.flatMap(({ flag }) => flag ?? []);
    const variables = SETTINGS.flatMap(({ variable }) => variable ?? []);
    expect(new Set(flags).size).toBe(flags.length);
    expect(new Set(variables).size).toBe(variables.length);
    for (const { key, schema, example, default: usual } of SETTINGS) {
      expect(schema.safeParse(example).success, key).toBe(true);
      if (usual !== undefined) expect(schema.safeParse(usual).success, key).toBe(true);
    }
  });
});
