// Draws docs/pairing.svg, the picture of docs/pairing.md: who is between two people behind a tunnel.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

const BOXES = [
  ["your machine", ["terminals", "pairpty --tunnel", "relay on 127.0.0.1"]],
  ["the tunnel", ["cloudflared, tailscale,", "ngrok, ssh -R", "sees only sealed text"]],
  ["your teammate", ["a browser, nothing else", "https://…/w/…#pp2_…", "types in your shell"]],
];
const WIDTH = 200;
const GAP = 60;
const HEIGHT = 120;

const text = (x, y, words, weight = "normal") =>
  `<text x="${x}" y="${y}" text-anchor="middle" font-weight="${weight}">${words}</text>`;
const box = ([title, lines], at) => {
  const x = 10 + at * (WIDTH + GAP);
  const middle = x + WIDTH / 2;
  const rect = `<rect x="${x}" y="10" width="${WIDTH}" height="${HEIGHT}" rx="8"/>`;
  const rows = lines.map((line, row) => text(middle, 66 + row * 22, line));
  return [rect, text(middle, 38, title, "bold"), ...rows].join("\n");
};
const arrow = (at) => {
  const x = 10 + at * (WIDTH + GAP) + WIDTH;
  return `<path d="M${x + 8} 70h${GAP - 16}m-8-6l8 6-8 6M${x + 16} 64l-8 6 8 6"/>`;
};
const style =
  "svg{background:#fff}text{font-family:sans-serif;font-size:14px;fill:#1c2128}rect,path{fill:none;stroke:#1a5fb4;stroke-width:2}";
const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 740 140" width="740" height="140" role="img">
<title>Your machine, the tunnel and your teammate's browser</title>
<style>${style}</style>
${BOXES.map(box).join("\n")}
${arrow(0)}
${arrow(1)}
</svg>
`;
writeFileSync(join(import.meta.dirname, "..", "docs", "pairing.svg"), svg);
