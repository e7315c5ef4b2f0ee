// Owns leaving out optional fields: with `exactOptionalPropertyTypes` an absent field and one that
// is undefined are different things.

/** `T`, with each field that may be undefined optional instead. */
type Compact<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Returns a copy without the fields that are undefined. */
export function compact<const T extends object>(fields: T): Compact<T>;
export function compact(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
