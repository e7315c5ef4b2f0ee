// Owns the smallest valid image and sound.

/** A PNG of one pixel. */
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** A WAV of one silent sample. */
export const SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

export const image = { type: "image", data: PIXEL, mimeType: "image/png" } as const;
export const audio = { type: "audio", data: SILENCE, mimeType: "audio/wav" } as const;

export function textBlock(content: string) {
  return { type: "text", text: content } as const;
}

export function resourceBlock(uri: string, mimeType: string, content: string) {
  return { type: "resource", resource: { uri, mimeType, text: content } } as const;
}
