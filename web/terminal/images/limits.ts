// Owns how large pictures in a terminal may be. Anybody's output may hold one.

/** Of one picture as it comes: 2048 × 2048. What is larger is not shown. */
export const MOST_PIXELS = 4 * 1024 * 1024;

/** Of all that this page holds: 64 MiB. Older ones make way. */
export const MOST_HELD_PIXELS = 16 * 1024 * 1024;

/** More than any screen has; the rest of a tall picture is cut off. */
export const MOST_ROWS = 200;
