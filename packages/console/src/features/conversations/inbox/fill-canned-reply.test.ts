import { expect, it } from 'vitest';
import { fillCannedReply } from './fill-canned-reply.ts';

it('puts names in place of placeholders, and nothing else', () => {
  const names = { operator: 'Ada $& Lovelace', bot: '{{operator}}' };
  expect(fillCannedReply('{{ operator }} with {{bot}}: {{order}}', names)).toBe(
    'Ada $& Lovelace with {{operator}}: {{order}}',
  );
});
