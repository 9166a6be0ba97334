import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as attachments from '@svc/contract/attachments';
import * as branches from '@svc/contract/branches';
import * as common from '@svc/contract/common';
import * as details from '@svc/contract/end-user-details';
import * as events from '@svc/contract/end-user-events';
import * as endUsers from '@svc/contract/end-users';
import * as voiceSessions from '@svc/contract/voice-sessions';
import * as visitor from '@svc/contract/widget-visitor';
import { expect, it } from 'vitest';
import { privateNames } from '../private-names.ts';
import { englishActionTexts } from '../src/actions/texts.ts';
import { englishFileTexts } from '../src/files/texts.ts';
import { englishFormTexts } from '../src/form/texts.ts';
import { englishHistoryTexts } from '../src/history/texts.ts';
import * as launcherTexts from '../src/loader/texts.ts';
import { englishTexts } from '../src/panel/texts.ts';
import { englishTeaserTexts } from '../src/teaser/texts.ts';
import { englishVoiceTexts } from '../src/voice/texts.ts';

/** What several files of the widget, the page or the storage know. */
const shared = {
  'protocol.ts': ['PanelContext', 'PageSettings', 'PanelHandle', 'Identity', 'WidgetApi'],
  'voice/protocol.ts': ['VoiceContext', 'Voice'],
  'actions/protocol.ts': ['ActionsContext'],
  'files/protocol.ts': ['FilesContext', 'VisitorFiles'],
  'form/protocol.ts': ['FormContext', 'VisitorForm'],
  'history/protocol.ts': ['HistoryContext', 'VisitorHistory'],
  'client/chat-state.ts': ['ChatMessage'],
  'client/saved-state.ts': ['MessageExtras', 'UnsentMessage', 'Saved'],
  'client/widget-api.ts': ['Refusal', 'Call'],
};

it('does not shorten what the service sends and receives', () => {
  const names = new Set<string>();
  collect(
    [attachments, branches, common, details, events, endUsers, voiceSessions, visitor],
    names,
    new Set(),
  );
  // Those that a stream of events has itself, and those of the notices of a call.
  for (const name of ['id', 'type', 'data', 'state', 'text', 'isFinal', 'reason', 'clears']) names.add(name);
  expect(names).toContain('renewal_token');
  expect(names).toContain('last_event_id');
  expect(names).toContain('session_token');
  expect([...names].filter((name) => privateNames.test(name))).toEqual([]);
});

it('does not shorten what translations, other files, the page or the storage know', async () => {
  const names = [
    ...Object.keys(englishTexts),
    ...Object.keys(englishVoiceTexts),
    ...Object.keys(englishActionTexts),
    ...Object.keys(englishFileTexts),
    ...Object.keys(englishFormTexts),
    ...Object.keys(englishHistoryTexts),
    ...Object.keys(englishTeaserTexts),
    ...Object.keys(launcherTexts),
  ];
  for (const [file, interfaces] of Object.entries(shared)) {
    const code = await readFile(join(import.meta.dirname, '../src', file), 'utf8');
    for (const name of interfaces) {
      const [, body = ''] = new RegExp(`interface ${name}\\b[^{]*\\{(.*?)\\n\\}`, 's').exec(code) ?? [];
      const members = [...body.matchAll(/^ {2}(\w+)\??[:(]/gm)].map(([, member = '']) => member);
      expect(members, `${file}: ${name}`).not.toEqual([]);
      names.push(...members);
    }
  }
  // What the panel reads of its store and the states of it, and other files do too.
  names.push(
    'branched',
    'call',
    'get',
    'send',
    'show',
    'conversationId',
    'messages',
    'phase',
    'thread',
    'unread',
  );
  names.push(
    'mountPanel',
    'createVoice',
    'createActions',
    'createFiles',
    'createForm',
    'createHistory',
    'createTeaser',
  );
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
