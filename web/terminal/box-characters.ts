// Owns which characters are boxes and blocks. Pure.

/** Matches U+2500 to U+259F. */
export const BOX_CHARACTERS = /[\u2500-\u259F]/;
