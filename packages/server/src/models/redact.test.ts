import { assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { redact } from './redact.ts';

test('our key is taken out in every form that servers echo', () => {
  const key = 'weird"key/with+signs==';
  const forms = [key, JSON.stringify(key), encodeURIComponent(key), Buffer.from(key).toString('base64')];
  for (const form of forms) {
    const clean = redact(`before ${form} after`, [key]);
    expect(clean).toMatch(/^before "?\[redacted\]=*"? after$/);
  }
});

test.each(['sk-proj-abcdef123456', 'AIzaSyA1234567890abcdef', 'Bearer abc.def.ghi', 'sk-***********abcd'])(
  "anybody's key goes, too: %s",
  (key) => {
    expect(redact(`key: ${key}.`, [])).not.toContain(key);
  },
);

test('plain words stay, and long texts are cut', () => {
  expect(redact('The model does not exist.', ['secret'])).toBe('The model does not exist.');
  expect(redact('word '.repeat(1_000), [])).toHaveLength(500);
});

test('no key survives inside any text', () => {
  assert(
    property(string(), string(), string({ minLength: 8 }), (before, after, key) => {
      expect(redact(`${before}${key}${after}`, [key]).replaceAll('[redacted]', '')).not.toContain(key);
    }),
  );
});
