import type { KnowledgeCreate } from '@svc/contract/knowledge';
import { describe, expect, it } from 'vitest';
import { toNewSource } from './new-source.ts';

describe('a source that is asked for', () => {
  it('is a text under its title, or a URL under its own', () => {
    expect(toNewSource('1', { content_type: 'text', title: 'T', content: 'x' })).toEqual({
      id: '1',
      botId: null,
      metadata: {},
      contentType: 'text',
      hasOwnTitle: true,
      title: 'T',
      content: 'x',
    });
    const url = 'https://example.com/a@b';
    expect(toNewSource('2', { content_type: 'url', url, bot_id: '3' })).toEqual({
      id: '2',
      botId: '3',
      metadata: {},
      contentType: 'url',
      hasOwnTitle: false,
      title: url,
      sourceUrl: url,
      requestedUrl: url,
    });
  });

  const text = 'is required for content_type text';
  it.each<[KnowledgeCreate, Record<string, string>]>([
    [{ content_type: 'text' }, { title: text, content: text }],
    [
      { content_type: 'text', title: ' ', content: ' ' },
      { title: 'must not be blank', content: 'must not be blank' },
    ],
    [
      { content_type: 'text', content: 'x', url: 'https://example.com' },
      { title: text, url: 'is only for content_type url' },
    ],
    [
      { content_type: 'url', content: 'x' },
      { content: 'is only for content_type text', url: 'is required for content_type url' },
    ],
    ...['https://user:word@example.com', 'https://user@example.com', 'https://:word@example.com'].map(
      (url): [KnowledgeCreate, Record<string, string>] => [
        { content_type: 'url', url },
        { url: 'must not carry a user name or password' },
      ],
    ),
  ])('%j is refused with every fault named', (body, faults) => {
    const details = Object.entries(faults).map(([path, message]) => ({ path, message }));
    const [first] = details;
    expect(() => toNewSource('1', body)).toThrow(
      expect.objectContaining({ message: `${first?.path} ${first?.message}`, details }),
    );
  });
});
