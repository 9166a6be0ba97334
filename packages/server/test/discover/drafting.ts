import { text } from '../scripted-model/script.ts';
import type { ScriptedModel } from '../scripted-model/server.ts';
import type { TestApp } from '../support/test-app.ts';

/** A tool as a model may draft it. */
export const weather = {
  tool_type: 'http_request',
  name: 'get_weather',
  description: 'Looks up the weather of a city.',
  configuration: {
    method: 'GET',
    url: 'https://api.example.com/weather',
    query: { city: '{{city}}' },
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    auth_type: 'bearer',
  },
};

/** The model answers with this, as JSON unless it is a string. */
export const say = (value: unknown) => [text(typeof value === 'string' ? value : JSON.stringify(value))];

/** Requests drafts from a scripted model. */
export function drafting(
  service: () => Pick<TestApp, 'call'>,
  scripted: () => Pick<ScriptedModel, 'requests'>,
) {
  return {
    ask: (path: string, body: object) =>
      service().call(`POST /api/v1/${path}/discover`, { body, headers: { accept: 'application/json' } }),
    /** The last message of each request to the model. */
    lastMessages: () =>
      scripted().requests.map(
        ({ body }) => (body['messages'] as { content: string }[]).at(-1)?.content ?? '',
      ),
  };
}
