// A title and the program that set it, with a real shell that has job control.

import { expect, test } from "vitest";
import { FrameType } from "../../protocol/frame-types.ts";
import { ALL } from "../support/host-client.ts";
import { sharedHost } from "../support/pty-host.ts";

const shared = sharedHost();

/** A program that sets a title, waits for a line and ends without a word. */
const PROGRAM = String.raw`sh -c 'printf "\033]2;my editor\007started\n"; read -r line'`;

test.skipIf(process.platform !== "linux")(
  "H30 a title that a program set goes when it ends; the shell's own comes back",
  async () => {
    const client = await shared().join();
    const { handle } = await client.spawn("", { file: "/bin/sh", args: ["-i"] });
    client.read(handle, 0, ALL);
    const titles = () =>
      client.frames.flatMap(({ type, stream, payload }) =>
        type === FrameType.title && stream === handle
          ? [JSON.parse(Buffer.from(payload).toString()).title]
          : [],
      );
    const titled = (...all: string[]) =>
      client.until(`titles ${all.join(", ")}`, () =>
        titles().join("|") === all.join("|") ? true : undefined,
      );
    client.input(handle, String.raw`set -m; printf '\033]2;my shell\007'` + "\n");
    await titled("my shell");
    client.input(handle, `${PROGRAM}\n`);
    await titled("my shell", "my editor");
    client.input(handle, "\n");
    await titled("my shell", "my editor", "my shell");
    client.close();
    const next = await shared().join();
    expect(next.states.find((one) => one.handle === handle)?.state.title).toBe("my shell");
  },
);
