import { expect, it } from 'vitest';
import type { BotRow } from '../bots/service.ts';
import type { Model } from '../models/model.ts';
import type { ModelRegistry } from '../models/registry.ts';
import { stepReservation } from './reservation.ts';

const model = { id: 'openai/x' } as Model;
const bot = (settings: object = {}) => ({ systemPrompt: 'x'.repeat(400), settings }) as unknown as BotRow;
/** A thousand tokens cost a dollar, in or out. */
const price = { input: 1_000, cachedInput: 1_000, output: 1_000 };
const models = { priceOf: (id: string) => (id === model.id ? price : undefined) } as ModelRegistry;
const dollars = (settings?: object) =>
  Number(stepReservation(model, bot(settings), 'y'.repeat(400), models)) / 1e9;

it('covers the question and a usual reply', () => {
  expect(dollars()).toBe(1.2);
  expect(dollars({ enable_response_validation: true, enable_agent_tracing: true })).toBe(1.2);
});

it('covers the grade too, which reads all of that', () => {
  expect(dollars({ enable_confidence_scoring: true })).toBe(1.2 + 1.6);
});

it('is refused for a model whose price nobody knows, with the variable to set', () => {
  const unknown = { id: 'openai/unknown' } as Model;
  expect(() => stepReservation(unknown, bot(), '', models)).toThrow('SVC_MODEL_PRICES');
});
