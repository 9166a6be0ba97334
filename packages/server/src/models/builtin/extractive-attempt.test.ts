import { expect, it } from 'vitest';
import type { ModelPart, ModelRequest } from '../model.ts';
import { createExtractiveAttempt } from './extractive-attempt.ts';

async function answer(request: ModelRequest) {
  const parts: ModelPart[] = [];
  const watch = { signal: new AbortController().signal, onToken: () => undefined };
  await createExtractiveAttempt()(request, (part) => void parts.push(part), watch);
  return parts.flatMap((part) => (part.type === 'text' ? [part] : []));
}

const passage = {
  number: 2,
  knowledge_id: 'k',
  title: 'Guide [k1]',
  heading_path: ['Shoes', 'Worn'],
  source_url: null,
  quote: 'Use items[2], see [k1].',
  score: 1,
};

it('quotes word for word, with the headings, and cites by marks of its own only', async () => {
  const messages = [
    { role: 'user' as const, content: 'Hi' },
    { role: 'assistant' as const, content: 'Hello' },
  ];
  expect(await answer({ messages, passages: [passage] })).toEqual([
    { type: 'text', text: '> Use items[2], see [k1].\n\nGuide [k1] › Shoes › Worn ', isQuotation: true },
    { type: 'text', text: '[k2]' },
  ]);
});
