import fc from 'fast-check';
import { expect, test } from 'vitest';
import { contrast, themeColors } from './color.ts';

const color = fc
  .integer({ min: 0, max: 0xff_ff_ff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`);
const grounds = { light: ['#ffffff', '#f1f3f5'], dark: ['#17191c', '#26292e'] };
const extremes = ['#ffffff', '#000000', '#ffff00', '#0000ff', '#ff00ff', '#808080', '#f1f3f5', '#17191c'];

test('the ratio is that of WCAG', () => {
  expect(contrast('#ffffff', '#000000')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.478, 3);
});

test('every color can be read on the panel, and text on it', () => {
  const readable = (chosen: string) => {
    for (const isDark of [false, true]) {
      const colors = themeColors(chosen, isDark);
      expect(contrast(colors.fill, colors.onFill)).toBeGreaterThanOrEqual(4.58);
      for (const ground of isDark ? grounds.dark : grounds.light) {
        expect(contrast(colors.text, ground)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(colors.shape, ground)).toBeGreaterThanOrEqual(3);
      }
      expect(contrast(colors.edge, isDark ? '#17191c' : '#ffffff')).toBeGreaterThanOrEqual(1.3);
    }
  };
  for (const chosen of extremes) readable(chosen);
  fc.assert(fc.property(color, readable), { numRuns: 5000 });
});

test('a color that is readable already is kept', () => {
  expect(themeColors('#4f46e5', false)).toEqual({
    fill: '#4f46e5',
    onFill: '#ffffff',
    text: '#4f46e5',
    shape: '#4f46e5',
    edge: '#4f46e5',
  });
});

test('an adjusted color keeps its hue', () => {
  expect(themeColors('#ffff00', false).text).toMatch(/^#[67].[67].0.$/);
});
