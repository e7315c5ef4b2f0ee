// The page's side of sealed rooms in a real browser: its own WebCrypto, against the host's crypto.

import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ChannelSealer } from "../../bridge/sealed/channel-sealer.ts";
import { answerHello, openConfirm } from "../../bridge/sealed/host-handshake.ts";
import { RecordKind } from "../../protocol/sealed/record.ts";
import { decodeFrames } from "../../protocol/frame.ts";
import { decodeOutput } from "../../protocol/output.ts";
import { toBytes } from "../../protocol/text.ts";
import type * as Link from "../../protocol/sealed/link.ts";
import type * as Noise from "../../protocol/sealed/noise.ts";
import type * as Opener from "../../web/sealed/channel-opener.ts";
import type * as Handshake from "../../web/sealed/page-handshake.ts";
import type * as Session from "../../web/sealed/page-session.ts";
import type * as WebCrypto from "../../web/sealed/web-crypto.ts";
import { startBrowser, Visitor } from "../support/browser.ts";
import { fromHex, NKPSK0, toHex } from "../support/noise-vector.ts";
import { framePayload, ORIGIN, READY, sealedHost, WORKSPACE } from "../support/sealed-pair.ts";

/** What the bundle below gives the browser. */
declare const sealed: typeof WebCrypto &
  typeof Noise &
  typeof Link &
  typeof Handshake &
  typeof Session &
  typeof Opener;

const ROOT = join(import.meta.dirname, "..", "..");
const MODULES = [
  "web/sealed/web-crypto",
  "protocol/sealed/noise",
  "protocol/sealed/link",
  "web/sealed/page-handshake",
  "web/sealed/page-session",
  "web/sealed/channel-opener",
];

const browser = await startBrowser();

async function bundle(): Promise<string> {
  const contents = MODULES.map((path) => `export * from "./${path}.ts";`).join("\n");
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    format: "iife",
    globalName: "sealed",
    write: false,
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

describe.skipIf(!browser)("sealing in a browser", () => {
  let ana: Visitor;

  beforeAll(async () => {
    ana = await Visitor.come(browser, "about:blank");
    // Answered here: WebCrypto needs https, and nothing is dialled.
    await ana.page.route(`${ORIGIN}/**`, async (route) => {
      await route.fulfill({
        contentType: "text/html",
        body: "<!doctype html><title>sealed</title>",
      });
    });
    await ana.page.goto(`${ORIGIN}/`);
    await ana.page.addScriptTag({ content: await bundle() });
  });
  afterAll(async () => await ana.leave());

  test("SE1 the browser's crypto gives and opens the handshake of the published vector", async () => {
    const [first, second] = NKPSK0.messages;
    const hex = [
      NKPSK0.prologue,
      NKPSK0.psk,
      NKPSK0.hostStaticPublic,
      NKPSK0.pageEphemeral,
      first.payload,
      second.ciphertext,
    ];
    const results = await ana.page.evaluate(
      async (inputs) => {
        const bytes = inputs.map((input) => new Uint8Array(input));
        const take = () => bytes.shift() ?? new Uint8Array(0);
        const [prologue, psk, hostKey] = [take(), take(), take()];
        const ephemeral = await sealed.importKeyPair(take());
        const side = { prologue, psk, hostKey, ephemeral };
        const hello = await sealed.compute(sealed.writeHello(side, take()));
        const ready = await sealed.compute(sealed.readReady(hello.state, ephemeral, take()));
        return [hello.message, ready.payload, ready.keys.handshakeHash].map((one) => [...one]);
      },
      hex.map((one) => [...fromHex(one)]),
    );
    expect(results.map((one) => toHex(Uint8Array.from(one)))).toEqual([
      first.ciphertext,
      second.payload,
      NKPSK0.handshakeHash,
    ]);
    expect(await ana.page.evaluate(() => sealed.findCryptoProblem())).toBeUndefined();
  });

  test("SE7 SE8 SE12 a browser and a host shake hands, and the browser opens records and output in order", async () => {
    const host = sealedHost();
    const handshake = await ana.page.evaluateHandle(
      async ([fragment, workspace, origin]) => {
        const parsed = sealed.parseSealedLink(fragment);
        if (!parsed.ok) throw new Error(parsed.message);
        return await sealed.startHandshake({ link: parsed.link, workspace, origin }, { v: 1 });
      },
      [host.fragment, WORKSPACE, ORIGIN] as const,
    );
    const hello = await handshake.evaluate((pending) => pending.hello);
    const { ready, session } = answerHello(host.deps, hello, READY);
    const page = await handshake.evaluateHandle(
      async (pending, answer) => {
        const { keys } = await pending.finish(new Uint8Array(answer));
        const received: string[] = [];
        const sent = Promise.withResolvers<string>();
        const opened = await sealed.PageSession.open(keys, {
          send: sent.resolve,
          receive: (_kind, data) => void received.push(new TextDecoder().decode(data)),
          onFault: (error) => void received.push(String(error)),
        });
        return { session: opened, received, confirm: await sent.promise };
      },
      [...framePayload(ready)],
    );
    openConfirm(session, await page.evaluate(({ confirm }) => confirm));
    const texts = ["x".repeat(60_000), "short", "x".repeat(30_000), "end"];
    const records = texts.map((text) => [...session.seal(RecordKind.text, toBytes(text))]);
    const received = await page.evaluate(
      async (one, { kind, sealedTexts }) => {
        for (const record of sealedTexts) one.session.receive(kind, new Uint8Array(record));
        await one.session.incoming.settled();
        return one.received;
      },
      { kind: RecordKind.text, sealedTexts: records },
    );
    expect(received).toEqual(texts);
    expect(await page.evaluate((one) => one.session.digits())).toBe(session.digits());

    const sealer = new ChannelSealer(3);
    const key = sealer.current();
    const frame = decodeFrames(sealer.sealFrame(0, 6, toBytes("output"))).frames[0];
    const body = [...(decodeOutput(frame?.payload ?? new Uint8Array(0))?.body ?? [])];
    const results = await ana.page.evaluate(
      async ([channelKey, bytes]) => {
        const opener = new sealed.ChannelOpener();
        opener.setKey(channelKey);
        const open = async (channel: number) => {
          const place = { channel, offset: 0, span: 6 };
          const opened = await opener.finish(opener.start(place, new Uint8Array(bytes)));
          return opened.is === "opened" ? new TextDecoder().decode(opened.body) : opened.is;
        };
        return [await open(4), await open(3), await open(3)];
      },
      [key, body] as const,
    );
    expect(results).toEqual(["refused", "output", "refused"]);
  });
});
