// Owns X.509 certificates for tests, made with Node alone: a machine need not have openssl. Only what TLS
// on loopback needs: P-256, two days, one authority, names and addresses.

import type { KeyObject } from "node:crypto";
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIPv4 } from "node:net";

const DAY_MS = 86_400_000;

export interface CertificateRequest {
  readonly commonName: string;
  readonly publicKey: KeyObject;
  /** The authority that signs; it signs itself where both keys are of one pair. */
  readonly issuer: string;
  readonly signingKey: KeyObject;
  readonly isAuthority?: boolean;
  readonly names?: readonly string[];
}

export function makeKeyPair(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

export function toPem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

/** Returns a certificate as PEM. RFC 5280, section 4.1. */
export function makeCertificate(request: CertificateRequest): string {
  const { isAuthority = false, names = [] } = request;
  const algorithm = der(0x30, oid(1, 2, 840, 10045, 4, 3, 2));
  const now = Date.now();
  const extensions = [
    // basicConstraints, critical.
    der(
      0x30,
      oid(2, 5, 29, 19),
      der(0x01, Buffer.of(0xff)),
      der(0x04, der(0x30, ...(isAuthority ? [der(0x01, Buffer.of(0xff))] : []))),
    ),
    // subjectAltName.
    ...(names.length === 0
      ? []
      : [der(0x30, oid(2, 5, 29, 17), der(0x04, der(0x30, ...names.map(toGeneralName))))]),
  ];
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.of(2))),
    // Positive, and not zero.
    der(0x02, Buffer.concat([Buffer.of(0x01), randomBytes(8)])),
    algorithm,
    toName(request.issuer),
    der(0x30, toTime(now - DAY_MS), toTime(now + DAY_MS)),
    toName(request.commonName),
    request.publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, der(0x30, ...extensions)),
  );
  const signature = sign("sha256", body, request.signingKey);
  const whole = der(0x30, body, algorithm, der(0x03, Buffer.of(0), signature));
  const lines = whole.toString("base64").replaceAll(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

/** A value of DER: its tag, its length in as few bytes as it needs, its parts. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const size = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

function oid(first: number, second: number, ...rest: readonly number[]): Buffer {
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const groups = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return der(0x06, Buffer.from(bytes));
}

function toName(commonName: string): Buffer {
  const text = der(0x0c, Buffer.from(commonName));
  return der(0x30, der(0x31, der(0x30, oid(2, 5, 4, 3), text)));
}

function toGeneralName(name: string): Buffer {
  if (isIPv4(name)) return der(0x87, Buffer.from(name.split(".").map(Number)));
  return der(0x82, Buffer.from(name));
}

/** UTCTime, without milliseconds. */
function toTime(at: number): Buffer {
  const digits = new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return der(0x17, Buffer.from(digits.slice(2)));
}
