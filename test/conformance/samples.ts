// Owns the smallest valid image and sound.

/** A PNG of one pixel. */
export const PIXEL_PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** A WAV of one silent sample. */
export const SILENT_WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

export const image = { type: "image", data: PIXEL_PNG, mimeType: "image/png" } as const;
export const audio = { type: "audio", data: SILENT_WAV, mimeType: "audio/wav" } as const;

export function textBlock(content: string) {
  return { type: "text", text: content } as const;
}

export function resourceBlock(uri: string, mimeType: string, content: string) {
  return { type: "resource", resource: { uri, mimeType, text: content } } as const;
}
