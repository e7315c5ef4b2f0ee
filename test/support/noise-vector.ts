// The published test vector of Noise_NKpsk0_25519_AESGCM_SHA256, from the collection of cacophony, in
// hex. The first two messages are the handshake; the others are sealed with the session's keys in
// turn, without associated data.

export const NKPSK0 = {
  prologue: "4a6f686e2047616c74",
  psk: "54686973206973206d7920417573747269616e20706572737065637469766521",
  pageEphemeral: "893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a",
  hostStatic: "4a3acbfdb163dec651dfa3194dece676d437029c62a408b4c5ea9114246e4893",
  hostStaticPublic: "31e0303fd6418d2f8c0e78b91f22e8caed0fbe48656dcf4767e4834f701b8f62",
  hostEphemeral: "bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b",
  handshakeHash: "c9855b6c52aeba6b7d07097d260e058ea90e85fa810c0c3e2ec3869f3f4319c9",
  messages: [
    {
      payload: "4c756477696720766f6e204d69736573",
      ciphertext:
        "ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c7944052cffc8d5cdfaed3f9ca0a86c406cf58d24cfc3cec1af5060fd25c4e8a5ac04",
    },
    {
      payload: "4d757272617920526f746862617264",
      ciphertext:
        "95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843afd57077a1747b71254c19bd798c87ac61a2d4808a30a1372f81b2cb4d85f6",
    },
    {
      payload: "462e20412e20486179656b",
      ciphertext: "0ed5fabce6ef0ded315c4f213c51ea1e89be89f86c5dc98e50d15d",
    },
    {
      payload: "4361726c204d656e676572",
      ciphertext: "ba3cbc8800e6eb1b585269dca0f00fdc21f830eb1a497589215f7f",
    },
    {
      payload: "4a65616e2d426170746973746520536179",
      ciphertext: "f1205cc05144bce5aad775bc12a7d569bfdd474337cdb03b09ae5478c0cd166eb4",
    },
    {
      payload: "457567656e2042f6686d20766f6e2042617765726b",
      ciphertext: "32b8e77e5be275d093618c2a1fef8b6c4c263b23a39d25cce751015d44a7b4003aa4f66512",
    },
  ],
} as const;

export function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, "hex"));
}

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
