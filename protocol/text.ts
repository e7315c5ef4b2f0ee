// Owns the step between bytes and text that all three runtimes share.
// They have TextEncoder and TextDecoder in common, but no common type library that says so.

declare const TextEncoder: new () => { encode(text: string): Uint8Array<ArrayBuffer> };
declare const TextDecoder: new (
  label: "utf-8",
  options?: { ignoreBOM?: boolean },
) => { decode(bytes: Uint8Array): string };

const encoder = new TextEncoder();
// A byte order mark is a character of the stream like any other: a terminal must get it back.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Bytes that are not UTF-8 become U+FFFD. */
export function toText(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
