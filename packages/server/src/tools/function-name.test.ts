import { expect, it } from 'vitest';
import { functionName } from './function-name.ts';

it('keeps a name that fits', () => {
  expect(functionName('get_weather-2')).toBe('get_weather-2');
});

it('makes every other one fit, and keeps different ones different', () => {
  const given = [
    'Get weather',
    'Get.weather',
    'Get weather ',
    '天気',
    '☂',
    'x'.repeat(64),
    'x'.repeat(65),
    'x'.repeat(66),
  ];
  const names = given.map(functionName);
  for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
  expect(new Set(names).size).toBe(given.length);
  expect(names[0]).toMatch(/^Get_weather_[0-9a-f]{6}$/);
});

it('gives the same name every time', () => {
  expect(functionName('Ein schöner Name')).toBe(functionName('Ein schöner Name'));
});
