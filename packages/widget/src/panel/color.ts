/** Colors are `#rrggbb`. The grounds that text stands on, per theme, the panel's own first. */
export const grounds = { light: ['#ffffff', '#f1f3f5'], dark: ['#17191c', '#26292e'] } as const;

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

export function themeColors(color: string, theme: 'light' | 'dark'): ThemeColors {
  const shape = readableOn(theme, color, 3);
  return {
    fill: color,
    onFill: contrast(color, '#000000') > contrast(color, '#ffffff') ? '#000000' : '#ffffff',
    text: readableOn(theme, color, 4.5),
    shape,
    edge: contrast(color, grounds[theme][0]) < 1.3 ? shape : color,
  };
}

/** The ratio of WCAG 2, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const ratio = (luminance(one) + 0.05) / (luminance(other) + 0.05);
  return Math.max(ratio, 1 / ratio);
}

/** Mixes a color with black or white, which keeps its hue, as little as the contrast needs. */
function readableOn(theme: 'light' | 'dark', color: string, ratio: number): string {
  let mixed = color;
  for (let share = 0; grounds[theme].some((ground) => contrast(mixed, ground) < ratio); share += 0.01) {
    mixed = `#${channels(color)
      .map((value) => Math.round(value + ((theme === 'dark' ? 255 : 0) - value) * share))
      .map((value) => value.toString(16).padStart(2, '0'))
      .join('')}`;
  }
  return mixed;
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) =>
    value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}
