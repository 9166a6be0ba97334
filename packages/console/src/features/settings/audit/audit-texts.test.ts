import type { AuditEntry } from '@svc/contract/audit';
import { describe, expect, it } from 'vitest';
import { actorName, changeTexts, pathOf, valueText } from './audit-texts.ts';

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

  it('has both sides of a change in words, or only that there was one', () => {
    const texts = (field: string, before: unknown, after: unknown) =>
      changeTexts({ field, before, after }, ({ tool_type: type }) => `the ${type}`);
    expect(texts('status', 'pending', 'approved_edited')).toEqual({
      before: 'waiting',
      after: 'approved with changes',
    });
    expect(texts('ask_details', 'never', 'before_chat')).toEqual({
      before: 'never',
      after: 'before the first message',
    });
    expect(texts('assignee', null, 'changed')).toEqual({ after: 'changed' });
    const [search, weather] = ['search', 'weather'].map((type) => ({ tool_type: type }));
    expect(texts('tools', [], [search, weather])).toEqual({
      before: 'nothing',
      after: 'the search, the weather',
    });
    expect(texts('tools', [search], [{ ...search, tool_instructions: 'x' }])).toEqual({ after: 'changed' });
    expect(texts('name', 'status', 'pending')).toEqual({ before: 'status', after: 'pending' });
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
