// Owns the result of a check: its status, a one-line message, and a one-line cure. Pure.

export type FindingStatus = "ok" | "warn" | "fail";

export interface Finding {
  readonly status: FindingStatus;
  readonly message: string;
  /** What to do; every warning and failure has one. */
  readonly cure?: string;
}

export const ok = (message: string): Finding => ({ status: "ok", message });
export const warn = (message: string, cure: string): Finding => ({ status: "warn", message, cure });
export const fail = (message: string, cure: string): Finding => ({ status: "fail", message, cure });

export interface CheckResult extends Finding {
  readonly check: string;
  readonly milliseconds: number;
}

/** Runs a check. One that throws or takes longer than `milliseconds` has failed. */
export async function runCheck(
  check: string,
  milliseconds: number,
  run: () => Promise<Finding> | Finding,
): Promise<CheckResult> {
  const began = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Finding>((resolve) => {
    timer = setTimeout(
      () =>
        resolve(
          fail(
            `no answer within ${milliseconds / 1000} s`,
            "Try again; if it persists, `pairpty logs` may show why.",
          ),
        ),
      milliseconds,
    );
  });
  const finding = await Promise.race([Promise.resolve().then(run), timeout]).catch(
    (error: unknown) =>
      fail(
        error instanceof Error ? error.message : String(error),
        "This is a bug in pairpty: please report it with this line.",
      ),
  );
  clearTimeout(timer);
  return { check, ...finding, milliseconds: Math.round(performance.now() - began) };
}
