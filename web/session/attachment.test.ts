import { expect, test } from "vitest";
import type { PtyRequest } from "../../protocol/pty-requests.ts";
import { toBytes, toText } from "../../protocol/text.ts";
import { Acks } from "./acks.ts";
import { Attachment } from "./attachment.ts";

const id = "pty-abcdef";

function setUp() {
  const sent: PtyRequest[] = [];
  const shown: string[] = [];
  const acked: number[] = [];
  const pending: (() => void)[] = [];
  const acks = new Acks({ send: (news) => acked.push(...news.values()), eager: true });
  const attachment = new Attachment(
    id,
    {
      replay: (bytes, rendered) => {
        shown.push(`clean:${toText(bytes)}`);
        pending.push(rendered);
      },
      write: (bytes, rendered) => {
        shown.push(toText(bytes));
        pending.push(rendered);
      },
      layout: (cols, rows) => shown.push(`${cols}x${rows}`),
      reportSize: () => undefined,
      end: () => shown.push("end"),
    },
    acks,
    (request) => sent.push(request) > 0,
  );
  return { attachment, acked, sent, shown, pending };
}

test("W3 a new socket attaches from what is on the screen", () => {
  const { attachment, sent, shown } = setUp();
  attachment.onBridge();
  const size = { cols: 80, rows: 24 };
  attachment.onAttached({
    type: "pty:attached",
    id,
    epoch: 3,
    offset: 2,
    next: 2,
    snapshot: "$ ",
    ...size,
  });
  attachment.onOutput({ offset: 2, span: 2, body: toBytes("ls") });
  attachment.onBridge();
  attachment.onCut();
  attachment.onBridge();
  attachment.onAttached({ type: "pty:attached", id, epoch: 3, offset: 4, next: 4, ...size });
  attachment.onExit();
  // W12: nothing follows an exit.
  attachment.onBridge();
  expect(sent).toEqual([
    { type: "pty:attach", id },
    { type: "pty:attach", id, epoch: 3, offset: 4 },
    { type: "pty:attach", id, epoch: 3, offset: 4 },
  ]);
  expect(shown).toEqual(["80x24", "clean:$ ", "ls", "80x24", "end"]);
  attachment.dispose();
});

test("W3 what was rendered for an older screen is not acked", () => {
  const { attachment, acked, pending } = setUp();
  const big = 10_000_000;
  const size = { cols: 80, rows: 24 };
  attachment.onAttached({
    type: "pty:attached",
    id,
    epoch: 3,
    offset: big,
    next: big,
    snapshot: "old",
    ...size,
  });
  attachment.onAttached({
    type: "pty:attached",
    id,
    epoch: 4,
    offset: 1,
    next: 1,
    snapshot: "n",
    ...size,
  });
  pending[0]?.();
  expect(acked).toEqual([]);
  attachment.dispose();
});

test("W73 bytes go on behind a snapshot, on the channel that it named", () => {
  const { attachment, sent, shown } = setUp();
  attachment.onBridge();
  attachment.onAttached({
    type: "pty:attached",
    id,
    epoch: 3,
    offset: 10,
    next: 10,
    snapshot: "screen",
    channel: 5,
    cols: 80,
    rows: 24,
  });
  expect(attachment.channel).toBe(5);
  attachment.onOutput({ offset: 8, span: 4, body: toBytes("89ab") });
  attachment.onOutput({ offset: 12, span: 1, body: toBytes("c") });
  expect(shown).toEqual(["80x24", "clean:screen", "ab", "c"]);
  attachment.onOutput({ offset: 20, span: 1, body: toBytes("z") });
  expect(sent.at(-1)).toEqual({ type: "pty:attach", id, epoch: 3, offset: 13 });
  attachment.onCut();
  expect(attachment.channel).toBeUndefined();
  attachment.dispose();
});
