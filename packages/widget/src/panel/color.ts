/** Colors are `#rrggbb`. */
type Channels = [red: number, green: number, blue: number];

/** The lightest and the darkest ground that text stands on, per theme: a color that is readable on both is readable on all. */
const grounds = {
  light: ['#ffffff', '#f1f3f5'],
  dark: ['#17191c', '#26292e'],
};

export interface ThemeColors {
  /** The color itself, for filled areas. */
  fill: string;
  /** Black or white, whichever is easier to read on `fill`. */
  onFill: string;
  /** For links and other text: readable on every ground of the theme. */
  text: string;
  /** For focus rings and other shapes, which need less contrast than text. */
  shape: string;
  /** Around filled areas that would not stand out from the panel otherwise. */
  edge: string;
}

export function themeColors(color: string, isDark: boolean): ThemeColors {
  const on = isDark ? grounds.dark : grounds.light;
  const [panel = ''] = on;
  const shape = readableOn(color, on, 3, isDark);
  return {
    fill: color,
    onFill: contrast(color, '#000000') > contrast(color, '#ffffff') ? '#000000' : '#ffffff',
    text: readableOn(color, on, 4.5, isDark),
    shape,
    edge: contrast(color, panel) < 1.3 ? shape : color,
  };
}

/** The ratio of WCAG 2, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const ratio = (luminance(one) + 0.05) / (luminance(other) + 0.05);
  return Math.max(ratio, 1 / ratio);
}

/** Keeps the hue, and changes the lightness in OKLab until the contrast is reached. */
function readableOn(color: string, on: readonly string[], ratio: number, isDark: boolean): string {
  const [start, a, b] = toOklab(linear(color));
  const end = isDark ? 1 : 0;
  const steps = 100;
  for (let step = 0; step < steps; step++) {
    const share = step / steps;
    // Colors lose saturation on the way to white or black, as there is none to be had at the end.
    const candidate = step === 0 ? color : toHex(start + (end - start) * share, a, b);
    if (on.every((ground) => contrast(candidate, ground) >= ratio)) return candidate;
  }
  return isDark ? '#ffffff' : '#000000';
}

function linear(color: string): Channels {
  return [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as Channels;
}

function luminance(color: string): number {
  const [red, green, blue] = linear(color);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function toOklab([red, green, blue]: Channels): Channels {
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** The nearest color of that lightness and hue that a screen can show: less saturated if need be. */
function toHex(lightness: number, a: number, b: number): string {
  for (let saturation = 1; saturation > 0; saturation -= 0.05) {
    const channels = fromOklab(lightness, a * saturation, b * saturation);
    if (channels.every((value) => value >= -0.001 && value <= 1.001)) return hexOf(channels);
  }
  return hexOf(fromOklab(lightness, 0, 0));
}

function fromOklab(lightness: number, a: number, b: number): Channels {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function hexOf(channels: Channels): string {
  const digits = channels.map((value) => {
    const clamped = Math.min(1, Math.max(0, value));
    const encoded = clamped <= 0.0031308 ? clamped * 12.92 : 1.055 * clamped ** (1 / 2.4) - 0.055;
    return Math.round(encoded * 255)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${digits.join('')}`;
}
