import type { Branch } from '@svc/contract/branches';
import type { ConsoleMessage, ConsoleTurn } from '@svc/contract/console-conversation';
import { expect, it } from 'vitest';
import { alternativesOf } from './alternatives.ts';

const branch = (first: string, text: string) =>
  ({ id: `b-${first}`, after_message_id: null, first_message_id: first, text }) as Branch;
const message = (id: string, role: string) => ({ id, role, turn_id: 'turn' }) as ConsoleMessage;
const turn = (status: string) => ({ id: 'turn', status }) as ConsoleTurn;
const shown = (given: Parameters<typeof alternativesOf>[0]) =>
  [...alternativesOf(given)].map(([id, { index }]) => [id, index]);

const again = [branch('q1', 'Where?'), branch('q2', 'Where?')];
const edited = [...again, branch('q3', 'Where is it?')];
const [question, answer] = [message('q2', 'user'), message('a2', 'assistant')];

it('shows versions at the answer where only that differs, and at the question where it was edited', () => {
  const messages = [question, message('t', 'tool'), answer, message('a3', 'assistant')];
  const turns = [turn('completed')];
  expect(shown({ branches: again, messages, turns })).toEqual([['a2', 1]]);
  expect(shown({ branches: edited, messages, turns })).toEqual([['q2', 1]]);
  expect(shown({ branches: [branch('q9', 'Where?')], messages, turns })).toEqual([]);
});

it('waits for the answer, and shows them at the question if there will be none', () => {
  const messages = [question];
  expect(shown({ branches: again, messages, turns: [turn('running')] })).toEqual([]);
  expect(shown({ branches: edited, messages, turns: [turn('running')] })).toEqual([['q2', 1]]);
  expect(shown({ branches: again, messages, turns: [turn('failed')] })).toEqual([['q2', 1]]);
});
