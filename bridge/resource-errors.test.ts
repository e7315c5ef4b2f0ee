import { expect, test } from "vitest";
import { toDiskError, findFullFolder } from "./resource-errors.ts";
import { ExitCode, UserError } from "./errors.ts";

const fault = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: no, write`), { code }, path === undefined ? {} : { path });

test("C52 a disk that takes nothing is no bug: which file, why, and what to do", () => {
  const full = toDiskError(fault("ENOSPC", "/state/identity.json"));
  expect(full).toBeInstanceOf(UserError);
  expect(full).toMatchObject({
    message: "/state/identity.json cannot be written: the disk is full",
    exitCode: ExitCode.unavailable,
    hint: expect.stringMatching(/^Free some space there, or set XDG_STATE_HOME/),
  });
  expect(toDiskError(fault("EDQUOT", "/a"))?.message).toContain("your disk quota is used up");
  expect(toDiskError(fault("EROFS"), "/a")?.message).toBe(
    "/a cannot be written: the file system is read-only",
  );
  // Other errors are passed through.
  expect(toDiskError(fault("EACCES", "/a"))).toBeUndefined();
  expect(toDiskError(new UserError("no", ExitCode.usage))).toBeUndefined();
});

test("C52 of a process that did not start, a full folder is the reason only where it is full", () => {
  const free = (folder: string): number => (folder === "/full" ? 4_096 : 1 << 30);
  expect(findFullFolder(["/fine", "/full"], free)?.message).toBe(
    "/full cannot be written: the disk is full",
  );
  expect(findFullFolder(["/fine"], free)).toBeUndefined();
  expect(findFullFolder(["/no such folder"])).toBeUndefined();
});
