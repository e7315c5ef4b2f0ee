import { expect, test } from "vitest";
import type { ReadyAnswer } from "../../doors/control/control-requests.ts";
import type { BannerFacts } from "./banner.ts";
import { formatFoot, formatHead, formatTerminals } from "./banner.ts";

const toCommand = (words: string) => `pairpty ${words} --cwd x`;
const common = { visible: true, createdAt: 0, cwd: "/work" } as const;

test("I70 the first screen lists terminals, and says of an agent's how to step in", () => {
  expect(formatTerminals([], toCommand)).toEqual(["  No open terminals."]);
  const lines = formatTerminals(
    [
      { ...common, id: "pty-000002", owner: "agent", number: 2, command: ["sudo", "\u001b[2Jx"] },
      { ...common, id: "pty-000001", owner: "user", number: 1, title: "vim" },
      {
        ...common,
        id: "pty-000003",
        owner: "agent",
        number: 3,
        startedBy: "claude",
        isolation: "sandbox",
        command: ["x".repeat(80)],
      },
      { ...common, id: "pty-000004", owner: "agent", number: 4, command: ["bash"], feed: true },
    ],
    toCommand,
  );
  expect(lines[0]).toBe("  1  vim  (pairpty attach 1 --cwd x)");
  expect(lines[1]).toMatch(
    /^ {2}2 {2}sudo .*of an agent {2}\(step in: pairpty attach 2 --step-in --cwd x\)$/,
  );
  expect(lines[1]).not.toContain("\u001b");
  expect(lines[2]).toContain("…  of claude, sandbox  (step in");
  // Nothing reads there.
  expect(lines[3]).toBe("  4  bash  of an agent  (watch: pairpty attach 4 --cwd x)");
  expect(lines.at(-1)).toBe("  Press 2 or 3 to step in here");
});

test("SE63 the first screen says whether people's links are end-to-end encrypted or readable by the relay", () => {
  const endpoints = { peer: "", bridge: "", mcp: "", acp: "", health: "" };
  const foot = (facts: Partial<ReadyAnswer>, local = false) => {
    const ready: ReadyAnswer = {
      event: "ready",
      e2e: false,
      workspace: "w",
      relay: "https://relay.example.com",
      links: { edit: "x", view: "x" },
      tokens: { view: "x" },
      endpoints,
      ...facts,
    };
    const window = { columns: 80, rows: 24, ascii: false };
    const base = { ready, milliseconds: 1, local, adopted: 0, keys: false, window };
    return formatFoot({ ...base, operator: facts.operator })
      .join(" ")
      .replaceAll(/\s+/g, " ");
  };
  const sealed =
    "End-to-end encrypted for people. Agents that connect through the relay are readable by the relay.";
  expect(foot({ e2e: true })).toContain(sealed);
  expect(foot({ e2e: true }, true)).toContain(sealed);
  expect(foot({ e2e: true, tunnel: "cloudflared", operator: "Cloudflare" })).not.toContain(
    "Cloudflare",
  );
  expect(foot({})).toContain("Readable by the relay: its operator can read everything");
  expect(foot({ tunnel: "cloudflared", operator: "Cloudflare" })).toContain(
    "Readable by the relay. Cloudflare can read everything that is typed and shown.",
  );
  expect(foot({}, true)).not.toMatch(/encrypted|eadable/);
});

test("C124 the window of pairpty itself shows its links again as running; another window says that it runs already", () => {
  const window = { columns: 80, rows: 24, ascii: false };
  const head = (facts: Partial<BannerFacts>) =>
    formatHead({ milliseconds: undefined, keys: true, window, ...facts } as BannerFacts).join("");
  expect(head({})).toMatch(/ running\S*$/);
  expect(head({})).not.toContain("already");
  expect(head({ keys: false })).toContain("already running here");
  expect(head({ milliseconds: 5 })).toContain("ready in 5 ms");
});
