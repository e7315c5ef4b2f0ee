// Owns the size limits for images in a terminal, whose output is untrusted.

/** Pixels of one decoded image: 2048 × 2048. Larger images are not shown. */
export const MAX_PIXELS = 4 * 1024 * 1024;

/** Pixels of all images of the page: 64 MiB. The oldest are removed first. */
export const MAX_HELD_PIXELS = 16 * 1024 * 1024;

/** More rows than any screen has; the rest of a taller image is cut off. */
export const MAX_IMAGE_ROWS = 200;
