import { Type } from 'typebox';
import { expect, it } from 'vitest';
import { AppError } from '../lib/app-error.ts';
import { answerFault, askForJson } from './ask-for-json.ts';
import { jsonForm } from './json-form.ts';
import type { FinishReason, Model, ModelRequest } from './model.ts';
import { ModelError } from './model-error.ts';

interface Played {
  text?: string;
  reason?: FinishReason;
  failure?: Error;
}

const right = { text: '{"number": 4}' };
const rejected = new ModelError('MODEL_REJECTED', { message: 'Refused.' });
const badRequest = new ModelError('MODEL_REJECTED', { message: 'Refused.', isBadRequest: true });
const dropped = new ModelError('MODEL_UNAVAILABLE', { message: 'Closed.' });
const poor = new AppError('INSUFFICIENT_BALANCE');

/** Gives one answer after the other; every one counts ten tokens, unless it fails before its first character. */
function play(answers: readonly Played[], { jsonMode = false } = {}) {
  const requests: ModelRequest[] = [];
  const model: Model = {
    id: 'played/model',
    contextWindow: 1_000,
    maxOutputTokens: 1_000,
    capabilities: { jsonMode, instructions: true, images: false },
    async reply(request, onPart, signal) {
      signal.throwIfAborted();
      const { text = '', reason = 'stop', failure } = answers[requests.push(request) - 1] ?? {};
      const usage = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 1 };
      try {
        if (text) onPart({ type: 'text', text });
        if (failure) throw failure;
      } catch (error) {
        if (text) onPart({ type: 'lost', usage, isRepeated: false });
        throw error;
      }
      onPart({ type: 'finish', reason, usage });
    },
  };
  return { model, requests };
}

const limits = { maxOutputTokens: 500, maxCharacters: 100 };
const form = jsonForm(Type.Object({ number: Type.Number() }), limits);
const read = ({ number }: { number: number }) => {
  if (number % 2 === 1) throw answerFault('It is odd.');
  return number;
};
const question = (signal = new AbortController().signal) => ({ system: 'S', prompt: 'P', signal, read });

it.each<[string, Played, string]>([
  ['is not JSON', { text: 'Four.' }, 'The answer is not valid JSON'],
  ['is empty', {}, 'The answer is not valid JSON'],
  ['does not fit the schema', { text: '{"number": "4"}' }, '- number must be a number'],
  ['is something else', { text: '[4]' }, '- The answer must be an object'],
  ['is refused by its reader', { text: '{"number": 3}' }, 'It is odd.'],
  ['holds two candidates', { text: '{"number": 2} {"number": 4}' }, 'The answer is not valid JSON'],
  ['was cut off', { ...right, reason: 'length' }, 'too long and was cut off'],
  ['has no end', { text: `{"number": 4}${' '.repeat(1_000)}` }, 'too long and was cut off'],
  ['broke off', { text: '{"number": ', failure: dropped }, 'The answer broke off in the middle.'],
])('an answer that %s is repaired once', async (_how, first, problem) => {
  const { model, requests } = play([first, right]);
  const answer = await askForJson(model, form, question());
  expect(answer).toEqual({
    kind: 'value',
    value: 4,
    request: requests[1],
    usage: { inputTokens: 20, cachedInputTokens: 0, outputTokens: 2 },
  });
  const [prompt, shown, repair] = requests[1]?.messages ?? [];
  expect(prompt).toEqual({ role: 'user', content: 'P' });
  expect(shown).toEqual({ role: 'assistant', content: (first.text ?? '(nothing)').slice(0, 100) });
  expect(repair?.content).toContain(problem);

  const stubborn = play([first, first, right]);
  const failed = await askForJson(stubborn.model, form, question());
  expect(failed.kind).toBe(first.failure ? 'failed' : 'unusable');
  expect(failed).toMatchObject({ request: stubborn.requests[1], usage: { inputTokens: 20 } });
  expect(stubborn.requests).toHaveLength(2);
});

it.each([rejected, dropped, poor])(
  'a model that fails before it answers is not asked again: %s',
  async (failure) => {
    const { model, requests } = play([{ failure }, right]);
    const answer = await askForJson(model, form, question());
    expect(answer).toEqual({ kind: 'failed', failure, request: requests[0], usage: null });
    expect(requests).toHaveLength(1);
  },
);

it.each([rejected, new Error('The payment could not be recorded.')])(
  'an answer that the provider did not break off is not repeated: %s',
  async (failure) => {
    const { model, requests } = play([{ ...right, failure }, right]);
    expect(await askForJson(model, form, question())).toMatchObject({ kind: 'failed', failure });
    expect(requests).toHaveLength(1);
  },
);

it('repairs as often as its form allows', async () => {
  const problems: string[] = [];
  for (const repairs of [0, 3]) {
    const { model, requests } = play([]);
    const onRepair = ({ message }: AppError) => problems.push(message);
    const answer = await askForJson(model, jsonForm(Type.Unknown(), { ...limits, repairs }), {
      ...question(),
      read: () => undefined,
      onRepair,
    });
    expect(answer.kind).toBe('unusable');
    expect(requests).toHaveLength(repairs + 1);
  }
  expect(problems).toHaveLength(3);
});

it('is not asked again once the question is withdrawn', async () => {
  const stop = new AbortController();
  const reason = new Error('Stopped.');
  const { model, requests } = play([{ text: '{"number": 3}' }, right]);
  const withdraw = { ...question(stop.signal), onAnswer: () => stop.abort(reason) };
  expect(await askForJson(model, form, withdraw)).toMatchObject({ kind: 'failed', failure: reason });
  expect(requests).toHaveLength(1);
});

it('rejects with a fault of its reader that is not about the answer', async () => {
  const { model } = play([right]);
  const fault = new Error('The database is gone.');
  const faulty = { ...question(), read: () => Promise.reject(fault) };
  await expect(askForJson(model, form, faulty)).rejects.toBe(fault);
});

it('uses JSON mode only where the model has it, and does without where it is refused', async () => {
  const plain = play([right]);
  await askForJson(plain.model, form, question());
  expect(plain.requests).toEqual([
    { system: 'S', messages: [{ role: 'user', content: 'P' }], maxOutputTokens: 500 },
  ]);

  const able = play([right], { jsonMode: true });
  await askForJson(able.model, form, question());
  // Without the word in a message OpenAI refuses the request.
  expect(able.requests).toMatchObject([{ jsonMode: true, messages: [{ content: 'P\n\nAnswer in JSON.' }] }]);

  const old = play([{ failure: badRequest }, {}, right], { jsonMode: true });
  expect(await askForJson(old.model, form, question())).toMatchObject({ kind: 'value' });
  expect(old.requests.map(({ jsonMode }) => jsonMode)).toEqual([true, undefined, undefined]);

  const refused = play([{ failure: badRequest }, { failure: badRequest }, right], { jsonMode: true });
  expect(await askForJson(refused.model, form, question())).toMatchObject({ failure: badRequest });
  expect(refused.requests).toHaveLength(2);

  const unpaid = play([{ failure: rejected }, right], { jsonMode: true });
  expect(await askForJson(unpaid.model, form, question())).toMatchObject({ failure: rejected });
  expect(unpaid.requests).toHaveLength(1);
});
