import { fitTexts } from '../../../models/fit-texts.ts';
import { estimateTokens } from '../../../models/token-estimate.ts';
import type { PlacedMessage } from '../../state.ts';

/** The first message of a turn is never cut; at most this share of it is subtracted from the room for steps. */
const maxShareOfFirst = 0.6;
/** Shares of the remaining room: for the latest steps in full, and for older ones with cut results. */
const shareOfLatest = 0.6;
const shareOfOlder = 0.3;
const tokensOfOlderResult = 100;
const tokensPerMessage = 4;

export function messageTokens({
  content,
  attached = '',
  toolCalls,
}: Pick<PlacedMessage, 'attached' | 'content' | 'toolCalls'>): number {
  const calls = toolCalls.length > 0 ? JSON.stringify(toolCalls) : '';
  return tokensPerMessage + estimateTokens(content) + estimateTokens(attached) + estimateTokens(calls);
}

/**
 * Makes a turn fit that is too long for a model: its first message and latest steps stay, older tool results are cut, and the
 * oldest steps are left out. The log keeps everything.
 */
export function fitTurn(messages: PlacedMessage[], maxTokens: number): PlacedMessage[] {
  const [first, ...rest] = messages;
  if (!first || tokensOf(messages) <= maxTokens) return messages;
  const steps = stepsOf(rest);
  const room = maxTokens - Math.min(messageTokens(first), maxTokens * maxShareOfFirst);
  const latest = lastThatFit(steps, room * shareOfLatest);
  const before = steps.slice(0, steps.length - latest.length).map((step) => inShort(step));
  const older = lastThatFit(before, room * shareOfOlder, 0);
  const gone = steps.length - latest.length - older.length;
  // The latest step alone may be too long.
  const whole = latest.length === 1 ? latest.map((step) => cutResults(step, room * shareOfLatest)) : latest;
  return [gone > 0 ? withNote(first, gone) : first, ...older.flat(), ...whole.flat()];
}

/** A reply and the results of its calls stay together, because providers refuse one without the other. */
function stepsOf(messages: readonly PlacedMessage[]): PlacedMessage[][] {
  const steps: PlacedMessage[][] = [];
  for (const message of messages) {
    const last = steps.at(-1);
    if (message.role === 'tool' && last) last.push(message);
    else steps.push([message]);
  }
  return steps;
}

function lastThatFit(steps: PlacedMessage[][], maxTokens: number, atLeast = 1): PlacedMessage[][] {
  let used = 0;
  let count = 0;
  for (const step of steps.toReversed()) {
    used += tokensOf(step);
    if (used > maxTokens && count >= atLeast) break;
    count += 1;
  }
  return count > 0 ? steps.slice(-count) : [];
}

function inShort(step: readonly PlacedMessage[]): PlacedMessage[] {
  return step.map((message) => {
    if (message.role !== 'tool') return message;
    return { ...message, content: fitTexts([message.content], tokensOfOlderResult)[0] ?? '' };
  });
}

function cutResults(step: PlacedMessage[], maxTokens: number): PlacedMessage[] {
  const results = step.filter(({ role }) => role === 'tool');
  const others = tokensOf(step) - tokensOf(results);
  const texts = fitTexts(
    results.map(({ content }) => content),
    Math.max(maxTokens - others, 0),
  );
  return step.map((message) => {
    const index = results.indexOf(message);
    return index === -1 ? message : { ...message, content: texts[index] ?? '' };
  });
}

function withNote(first: PlacedMessage, gone: number): PlacedMessage {
  const note = `[The ${gone === 1 ? 'step that came' : `${gone} steps that came`} next cannot be shown any more.]`;
  return { ...first, content: `${first.content}\n\n${note}` };
}

function tokensOf(messages: readonly PlacedMessage[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}
