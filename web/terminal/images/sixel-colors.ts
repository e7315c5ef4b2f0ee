// Owns the colours of sixel images, as 32-bit canvas pixels (little endian). Pure.

/** The VT340's sixteen default colours, in percent. */
export const STANDARD_COLORS: readonly number[] = [
  [0, 0, 0],
  [20, 20, 80],
  [80, 13, 13],
  [20, 80, 20],
  [80, 20, 80],
  [20, 80, 80],
  [80, 80, 20],
  [53, 53, 53],
  [26, 26, 26],
  [33, 33, 60],
  [60, 26, 26],
  [33, 60, 33],
  [60, 33, 60],
  [33, 60, 60],
  [60, 60, 33],
  [80, 80, 80],
].map((percents) => packPixel(percents.map((percent) => percent / 100)));

const HUE_LIGHTNESS_SATURATION = 1;

/** Converts a colour definition in HLS or RGB (percent) to a pixel. */
export function toPixel(system: number, [a = 0, b = 0, c = 0]: readonly number[]): number {
  if (system !== HUE_LIGHTNESS_SATURATION) return packPixel([a / 100, b / 100, c / 100]);
  const [lightness, saturation] = [b / 100, c / 100];
  // In sixel's HLS, hue 0 is blue instead of red.
  const hue = (a + 240) % 360;
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset: number): number => {
    const place = (offset + hue / 30) % 12;
    return lightness - reach * Math.max(-1, Math.min(place - 3, 9 - place, 1));
  };
  return packPixel([channel(0), channel(8), channel(4)]);
}

function packPixel([red = 0, green = 0, blue = 0]: readonly number[]): number {
  const byte = (share: number) => Math.round(Math.min(1, Math.max(0, share)) * 255);
  return ((255 << 24) | (byte(blue) << 16) | (byte(green) << 8) | byte(red)) >>> 0;
}
