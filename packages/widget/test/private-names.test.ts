import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as common from '@svc/contract/common';
import * as events from '@svc/contract/end-user-events';
import * as endUsers from '@svc/contract/end-users';
import * as voiceSessions from '@svc/contract/voice-sessions';
import * as visitor from '@svc/contract/widget-visitor';
import { expect, it } from 'vitest';
import { privateNames } from '../private-names.ts';
import { englishTexts } from '../src/panel/texts.ts';
import { englishVoiceTexts } from '../src/voice/texts.ts';

/** What several files of the widget, the page or the storage know. */
const shared = {
  'protocol.ts': ['PanelContext', 'PageSettings', 'PanelHandle', 'Identity', 'WidgetApi'],
  'voice/protocol.ts': ['VoiceContext', 'Voice'],
  'client/chat-state.ts': ['ChatMessage'],
  'client/saved-state.ts': ['UnsentMessage', 'Saved'],
  'client/widget-api.ts': ['Refusal', 'Call'],
};

it('does not shorten what the service sends and receives', () => {
  const names = new Set<string>();
  collect([common, events, endUsers, voiceSessions, visitor], names, new Set());
  // Those that a stream of events has itself, and those of the notices of a call.
  for (const name of ['id', 'type', 'data', 'state', 'text', 'isFinal', 'reason', 'clears']) names.add(name);
  expect(names).toContain('renewal_token');
  expect(names).toContain('last_event_id');
  expect(names).toContain('session_token');
  expect([...names].filter((name) => privateNames.test(name))).toEqual([]);
});

it('does not shorten what translations, other files, the page or the storage know', async () => {
  const names = [...Object.keys(englishTexts), ...Object.keys(englishVoiceTexts)];
  for (const [file, interfaces] of Object.entries(shared)) {
    const code = await readFile(join(import.meta.dirname, '../src', file), 'utf8');
    for (const name of interfaces) {
      const [, body = ''] = new RegExp(`interface ${name}\\b[^{]*\\{(.*?)\\n\\}`, 's').exec(code) ?? [];
      const members = [...body.matchAll(/^ {2}(\w+)\??[:(]/gm)].map(([, member = '']) => member);
      expect(members, `${file}: ${name}`).not.toEqual([]);
      names.push(...members);
    }
  }
  // What the panel reads of the states of its store, and the calls do too.
  names.push('call', 'get', 'messages', 'thread', 'mountPanel', 'createVoice');
  expect(names.filter((name) => privateNames.test(name))).toEqual([]);
});

function collect(value: unknown, names: Set<string>, seen: Set<unknown>): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  const { properties } = value as { properties?: object };
  if (typeof properties === 'object' && properties)
    for (const name of Object.keys(properties)) names.add(name);
  for (const each of Object.values(value)) collect(each, names, seen);
}
