// Owns the version, which the build inserts.

declare const __VERSION__: string;

/** Code that runs without a build (unit tests) has no version. */
export const VERSION = typeof __VERSION__ === "string" ? __VERSION__ : "0.0.0";

export const SOFTWARE = `pairpty/${VERSION}`;
