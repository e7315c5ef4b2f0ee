// Owns lenient parsing of other programs' data: invalid fields count as absent, and lists keep
// their valid items. Never use it for anything that grants rights.

import * as z from "zod/mini";

/** Returns a schema that yields undefined for a missing, null or invalid value. */
export function validOrUndefined<T>(schema: z.ZodMiniType<T>) {
  const read = (value: unknown) => {
    const parsed = schema.safeParse(value);
    return parsed.success ? parsed.data : undefined;
  };
  return z.optional(z.pipe(z.unknown(), z.transform(read)));
}

/** Returns a schema that yields `fallback` for an invalid value. */
export function withDefault<T>(schema: z.ZodMiniType<T>, fallback: T) {
  const read = (value: unknown) => {
    const parsed = schema.safeParse(value);
    return parsed.success ? parsed.data : fallback;
  };
  return z.pipe(z.optional(z.unknown()), z.transform(read));
}

/** Returns a schema that keeps an array's valid items; undefined if the value is not an array. */
export function validItems<T>(schema: z.ZodMiniType<T>) {
  const read = (values: unknown[]) =>
    values.flatMap((value) => {
      const parsed = schema.safeParse(value);
      return parsed.success ? [parsed.data] : [];
    });
  return validOrUndefined(z.pipe(z.array(z.unknown()), z.transform(read)));
}
