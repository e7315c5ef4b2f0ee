import { expect, test } from "vitest";
import { diskProblem, fullFolder } from "./disk.ts";
import { ExitCode, UserError } from "./errors.ts";

const fault = (code: string, path?: string): Error =>
  Object.assign(new Error(`${code}: no, write`), { code }, path === undefined ? {} : { path });

test("C52 a disk that takes nothing is no bug: which file, why, and what to do", () => {
  const full = diskProblem(fault("ENOSPC", "/state/identity.json"));
  expect(full).toBeInstanceOf(UserError);
  expect(full).toMatchObject({
    message: "/state/identity.json cannot be written: the disk is full",
    exitCode: ExitCode.unavailable,
    hint: expect.stringMatching(/^Free some space there, or set XDG_STATE_HOME/),
  });
  expect(diskProblem(fault("EDQUOT", "/a"))?.message).toContain("your disk quota is used up");
  expect(diskProblem(fault("EROFS"), "/a")?.message).toBe(
    "/a cannot be written: the file system is read-only",
  );
  // Other errors are passed through.
  expect(diskProblem(fault("EACCES", "/a"))).toBeUndefined();
  expect(diskProblem(new UserError("no", ExitCode.usage))).toBeUndefined();
});

test("C52 of a process that did not start, a full folder is the reason only where it is full", () => {
  const free = (folder: string): number => (folder === "/full" ? 4_096 : 1 << 30);
  expect(fullFolder(["/fine", "/full"], free)?.message).toBe(
    "/full cannot be written: the disk is full",
  );
  expect(fullFolder(["/fine"], free)).toBeUndefined();
  expect(fullFolder(["/no such folder"])).toBeUndefined();
});
