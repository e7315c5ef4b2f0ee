// Owns a link as a QR code on the page. The encoder is loaded when the first one is drawn.

import { useEffect, useState } from "preact/hooks";

interface QrMatrix {
  readonly size: number;
  readonly path: string;
}

export function QrCode({ text }: { text: string }) {
  const [code, setCode] = useState<QrMatrix>();
  useEffect(() => {
    let wanted = true;
    const draw = async (): Promise<void> => {
      const made = await encodeQr(text);
      if (wanted) setCode(made);
    };
    void draw();
    return () => {
      wanted = false;
    };
  }, [text]);
  if (!code) return null;
  return (
    <svg
      class="qr"
      role="img"
      aria-label="The link as a QR code"
      viewBox={`0 0 ${code.size} ${code.size}`}
      shape-rendering="crispEdges"
    >
      <rect width={code.size} height={code.size} fill="#fff" />
      <path d={code.path} fill="#000" />
    </svg>
  );
}

async function encodeQr(text: string): Promise<QrMatrix> {
  const { encode } = await import("uqr");
  const { data, size } = encode(text, { border: 3, ecc: "L" });
  const cells = data.flatMap((row, y) => row.map((ink, x) => (ink ? `M${x} ${y}h1v1h-1z` : "")));
  return { size, path: cells.join("") };
}
