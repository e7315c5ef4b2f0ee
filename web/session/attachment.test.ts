import { expect, test } from "vitest";
import type { PtyRequest } from "../../protocol/pty.ts";
import { Attachment } from "./attachment.ts";

const id = "pty-abcdef";

function setUp() {
  const sent: PtyRequest[] = [];
  const shown: string[] = [];
  const pending: (() => void)[] = [];
  const attachment = new Attachment(
    id,
    {
      replay: (text, rendered) => {
        shown.push(`clean:${text}`);
        pending.push(rendered);
      },
      write: (text, rendered) => {
        shown.push(text);
        pending.push(rendered);
      },
      layout: (cols, rows) => shown.push(`${cols}x${rows}`),
      end: () => shown.push("end"),
    },
    (request) => sent.push(request) > 0,
  );
  return { attachment, sent, shown, pending };
}

test("W3 a new socket attaches from what is on the screen", () => {
  const { attachment, sent, shown } = setUp();
  attachment.onBridge();
  const size = { cols: 80, rows: 24 };
  attachment.onAttached({
    type: "pty:attached",
    id,
    epoch: 3,
    offset: 0,
    next: 2,
    history: "$ ",
    ...size,
  });
  attachment.onOutput({ type: "pty:output", id, data: "ls", offset: 2, next: 4 });
  attachment.onBridge();
  attachment.onCut();
  attachment.onBridge();
  attachment.onAttached({ type: "pty:attached", id, epoch: 3, offset: 4, next: 4, ...size });
  attachment.onExit();
  expect(sent).toEqual([
    { type: "pty:attach", id },
    { type: "pty:attach", id, epoch: 3, offset: 4 },
  ]);
  expect(shown).toEqual(["80x24", "clean:$ ", "ls", "80x24", "end"]);
  attachment.dispose();
});

test("W3 what was rendered for an older screen is not acked", () => {
  const { attachment, sent, pending } = setUp();
  const big = 10_000_000;
  const size = { cols: 80, rows: 24 };
  attachment.onAttached({
    type: "pty:attached",
    id,
    epoch: 3,
    offset: 0,
    next: big,
    history: "old",
    ...size,
  });
  attachment.onAttached({
    type: "pty:attached",
    id,
    epoch: 4,
    offset: 0,
    next: 1,
    history: "n",
    ...size,
  });
  pending[0]?.();
  expect(sent.filter(({ type }) => type === "pty:ack")).toEqual([]);
  attachment.dispose();
});
