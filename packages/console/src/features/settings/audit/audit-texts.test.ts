import type { AuditEntry } from '@svc/contract/audit';
import { describe, expect, it } from 'vitest';
import { actorName, pathOf, valueText } from './audit-texts.ts';

const entry = (object: Partial<AuditEntry['object']>, changes: AuditEntry['changes'] = []): AuditEntry => ({
  id: 'x',
  at: '',
  actor: { type: 'member', id: 'x', name: 'Ada' },
  action: 'bot.updated',
  object: { type: 'bot', id: 'b', name: null, ...object },
  changes,
});

describe('an entry of the audit log', () => {
  it('leads to its object where there is a page', () => {
    expect(pathOf(entry({}))).toBe('/bots/b/prompt');
    const changes = [{ field: 'bot_id', before: null, after: 'b1' }];
    expect(pathOf(entry({ type: 'widget_key' }, changes))).toBe('/widgets/b1');
    expect(pathOf(entry({ type: 'widget_key' }))).toBeUndefined();
    expect(pathOf(entry({ type: 'end_user', id: null }))).toBeUndefined();
  });

  it('is written for people', () => {
    expect(actorName({ type: 'key', id: 'abcdefgh', name: null })).toBe('Key cdefgh');
    expect(actorName({ type: 'command', id: null, name: null })).toBe('The operator of the server');
    expect([null, true, ['a', 'b'], [], { a: 1 }, 0.2].map(valueText)).toEqual([
      'nothing',
      'on',
      'a, b',
      'nothing',
      '{"a":1}',
      '0.2',
    ]);
  });
});
