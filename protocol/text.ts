// Owns the conversion between bytes and text for all three runtimes. They share TextEncoder and
// TextDecoder, but no type library that declares them.

declare const TextEncoder: new () => { encode(text: string): Uint8Array<ArrayBuffer> };
declare const TextDecoder: new (
  label: "utf-8",
  options?: { ignoreBOM?: boolean },
) => { decode(bytes: Uint8Array): string };

const encoder = new TextEncoder();
// Keeps a byte order mark: it is part of the stream, and a terminal must get it back.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Decodes UTF-8; invalid bytes become U+FFFD. */
export function toText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
