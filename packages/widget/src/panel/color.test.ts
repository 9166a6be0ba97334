import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contrast, grounds, themeColors } from './color.ts';
import { styles } from './styles.ts';

const color = fc
  .integer({ min: 0, max: 0xff_ff_ff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`);
const extremes = ['#ffffff', '#000000', '#ffff00', '#0000ff', '#ff00ff', '#808080', '#f1f3f5', '#17191c'];

test('the ratio is that of WCAG', () => {
  expect(contrast('#ffffff', '#000000')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.478, 3);
});

test('every color can be read on the panel, and text on it', () => {
  const readable = (chosen: string) => {
    for (const theme of ['light', 'dark'] as const) {
      const { fill, onFill, text, shape, edge } = themeColors(chosen, theme);
      const lowest = {
        onFill: contrast(fill, onFill),
        text: Math.min(...grounds[theme].map((ground) => contrast(text, ground))),
        shape: Math.min(...grounds[theme].map((ground) => contrast(shape, ground))),
        edge: contrast(edge, grounds[theme][0]),
      };
      const isReadable =
        lowest.onFill >= 4.58 && lowest.text >= 4.5 && lowest.shape >= 3 && lowest.edge >= 1.3;
      // One expectation per color: they take longer than the ratios.
      expect(isReadable, `${chosen}, ${theme}: ${JSON.stringify(lowest)}`).toBe(true);
    }
  };
  for (const chosen of extremes) readable(chosen);
  fc.assert(fc.property(color, readable), { numRuns: 3000 });
});

test('a color that is readable already is kept', () => {
  expect(themeColors('#4f46e5', 'light')).toEqual({
    fill: '#4f46e5',
    onFill: '#ffffff',
    text: '#4f46e5',
    shape: '#4f46e5',
    edge: '#4f46e5',
  });
});

test('an adjusted color keeps its hue', () => {
  expect(themeColors('#ffff00', 'light').text).toBe('#737300');
});

test('the grounds are those of the style sheet', () => {
  for (const [theme, [panel, bubble]] of Object.entries(grounds)) {
    const rule = styles.slice(styles.indexOf(`.${theme} {`));
    expect(rule).toMatch(new RegExp(`^[^}]*--ground: ${panel}; --raised: ${bubble};`));
  }
});
