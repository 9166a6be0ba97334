import { expect, it } from 'vitest';
import { fillCannedReply } from './fill-canned-reply.ts';

it('puts names in place of placeholders, and nothing else', () => {
  const names = { operator: 'Ada $& Lovelace', bot: '{{operator}}', user: 'Mia' };
  expect(fillCannedReply('{{ operator }} with {{bot}}: {{order}}', names)).toBe(
    'Ada $& Lovelace with {{operator}}: {{order}}',
  );
});

it('leaves out the name of a user who gave none', () => {
  const names = { operator: 'Ada', bot: 'Support', user: 'Mia' };
  expect(fillCannedReply('Hello {{user}}, this is {{operator}}.', names)).toBe('Hello Mia, this is Ada.');
  const nameless = { ...names, user: '' };
  expect(fillCannedReply('Hello {{user}}, this is {{operator}}.', nameless)).toBe('Hello, this is Ada.');
  expect(fillCannedReply('Thank you, {{user}}!', names)).toBe('Thank you, Mia!');
  expect(fillCannedReply('Thank you, {{user}}!', nameless)).toBe('Thank you!');
  expect(fillCannedReply('{{user}}:\n{{bot}}', nameless)).toBe(':\nSupport');
});
