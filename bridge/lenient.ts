// Owns reading what other programs say more freely than their schemas: a field of another form counts
// as absent, and a list keeps what fits. For what others say, never for what grants rights.

import * as z from "zod/mini";

/** Undefined when it is absent, null or of another form. */
export function lenient<T>(schema: z.ZodMiniType<T>) {
  const read = (value: unknown) => {
    const parsed = schema.safeParse(value);
    return parsed.success ? parsed.data : undefined;
  };
  return z.optional(z.pipe(z.unknown(), z.transform(read)));
}

/** What is of another form is this. */
export function orElse<T>(schema: z.ZodMiniType<T>, other: T) {
  const read = (value: unknown) => {
    const parsed = schema.safeParse(value);
    return parsed.success ? parsed.data : other;
  };
  return z.pipe(z.optional(z.unknown()), z.transform(read));
}

/** Those that fit; undefined when it is no list. */
export function some<T>(schema: z.ZodMiniType<T>) {
  const read = (values: unknown[]) =>
    values.flatMap((value) => {
      const parsed = schema.safeParse(value);
      return parsed.success ? [parsed.data] : [];
    });
  return lenient(z.pipe(z.array(z.unknown()), z.transform(read)));
}
