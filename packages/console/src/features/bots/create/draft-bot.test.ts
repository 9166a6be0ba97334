import { expect, it } from 'vitest';
import { createApi } from '../../../api/client.ts';
import { type DraftStep, draftBot } from './draft-bot.ts';

it('tells what was wrong with a draft from the steps that succeeded', async () => {
  const event = (name: string, data: object) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  const error = { code: 'UPSTREAM_FAILED', message: 'There is no usable draft.' };
  const body =
    event('discover.progress', { step: 'checking', detail: 'Checking the draft.' }) +
    event('discover.progress', { step: 'repairing', detail: 'It has no name.' }) +
    event('discover.failed', { error });
  const api = { ...createApi('w'), send: () => Promise.resolve(new Response(body)) };
  const steps: DraftStep[] = [];
  const { signal } = new AbortController();
  const drafting = draftBot(
    api,
    { description: 'x', source: '' },
    { onStep: (step) => steps.push(step), signal },
  );
  await expect(drafting).rejects.toThrow('There is no usable draft.');
  expect(steps).toEqual([
    { text: 'Checking the draft.', isFault: false },
    { text: 'It has no name.', isFault: true },
  ]);
});
