import { expect, it } from 'vitest';
import { textMessage } from '../../conversations/conversations.service.ts';
import { ModelImage } from '../../models/model-image.ts';
import type { TurnState } from '../state.ts';
import { foldEnds } from './fold-ends.ts';
import type { ToolCallEnd } from './tool-call-end.ts';

it('keeps the images that requests show, and no others', () => {
  const afterCall = (state: TurnState, index: number, names: readonly string[]) => {
    const images = names.map((name) => new ModelImage(name, ''));
    const end = { call: { id: `call ${index}` }, images } as unknown as ToolCallEnd;
    const message = { ...textMessage(`m${index}`, 'tool', 'Look.', new Date()), toolCallId: `call ${index}` };
    return foldEnds(state, [end], { messages: [{ message, event: 0 }] }, index);
  };
  const start = { steps: 0, calls: [], messages: [] } as unknown as TurnState;
  const results = [['a'], ['b', 'c', 'd'], [], ['e', 'f'], ['g']];
  const { messages } = results.reduce((state, names, index) => afterCall(state, index, names), start);
  expect(messages.map(({ images }) => images?.map(({ mediaType }) => mediaType))).toEqual([
    undefined,
    ['c', 'd'],
    undefined,
    ['e', 'f'],
    ['g'],
  ]);
});
