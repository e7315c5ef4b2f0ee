// Owns the version that the build put in.

declare const __VERSION__: string;

/** Source run without the build (unit tests) has none. */
export const VERSION = typeof __VERSION__ === "string" ? __VERSION__ : "0.0.0";

export const SOFTWARE = `pairpty/${VERSION}`;
