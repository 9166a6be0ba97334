import { isDeepStrictEqual } from 'node:util';
import type { ConversationDetail, ConversationMessage } from '@svc/contract/conversations';
import type { ScenarioDraft, StandIn } from '@svc/contract/scenarios';
import type { ToolCallRow } from '../../conversations/tool-calls/tool-calls.service.ts';
import { findStandIn } from '../stand-ins.ts';

/** The limits of a scenario. */
const maxTurns = 20;
const maxTurnCharacters = 32_000;
const maxStandIns = 100;
const maxCalled = 50;
const maxNameCharacters = 200;
/** A larger result would fill the scenario; what it is about is usually at its start. */
const maxResultCharacters = 20_000;
const maxAnswerCharacters = 2_000;

type DraftedCall = Pick<ToolCallRow, 'id' | 'name' | 'arguments' | 'status'>;

/** Turns and stand-ins of what happened in a conversation. What it should be judged by is left to the person who saves it. */
export function draftScenario(
  { bot_id: botId, title, messages }: Pick<ConversationDetail, 'bot_id' | 'title' | 'messages'>,
  calls: readonly DraftedCall[],
): ScenarioDraft {
  const notes: string[] = [];
  const users = messages.filter(({ role }) => role === 'user');
  const kept = users.slice(0, maxTurns);
  if (users.length > maxTurns) notes.push(`Only the first ${maxTurns} of ${users.length} messages are kept.`);
  const after = users[maxTurns];
  const used = after ? messages.slice(0, messages.indexOf(after)) : messages;
  if (used.some(({ role }) => role === 'operator')) {
    notes.push('Messages of the team are left out: in a scenario the bot answers alone.');
  }
  const standIns = standInsOf(used, calls, notes);
  const called = calls.filter(
    ({ id, status }) => status === 'ok' && used.some((message) => message.tool_call_id === id),
  );
  const mustCall = [...new Set(called.map(({ name }) => name))].slice(0, maxCalled);
  return {
    bot_id: botId,
    scenario: {
      name: cut(title.trim() || kept[0]?.content.trim() || 'A conversation', maxNameCharacters),
      turns: kept.map(({ content }) => cut(content, maxTurnCharacters)),
      expected_facts: [],
      must_call: mustCall,
      must_not_call: [],
      stand_ins: standIns,
    },
    answers: kept.map((message, index) => answerTo(used, message, kept[index + 1])),
    notes,
  };
}

function standInsOf(
  messages: readonly ConversationMessage[],
  calls: readonly DraftedCall[],
  notes: string[],
): StandIn[] {
  const results = new Map(
    messages.flatMap((one) => (one.tool_call_id ? [[one.tool_call_id, one.content]] : [])),
  );
  const standIns: StandIn[] = [];
  let isShortened = false;
  for (const { id, name, arguments: given, status } of calls) {
    const content = results.get(id);
    if (content === undefined) continue;
    isShortened ||= content.length > maxResultCharacters;
    const standIn: StandIn = {
      function: name,
      // As the model proposed them: nobody edits a call in an evaluation.
      arguments: given,
      result: resultOf(content),
      ...(status !== 'ok' && { is_error: true }),
    };
    const own = standIns.filter((one) => one.function === name);
    const matching = findStandIn(own, given);
    // The first that matches answers, so an equal call later would never get its own result.
    if (matching && isDeepStrictEqual(matching.arguments, given)) continue;
    if (standIns.length === maxStandIns) {
      notes.push(`Only the first ${maxStandIns} results of calls are kept.`);
      break;
    }
    // A stand-in with fewer arguments also matches this call, so this one goes before it.
    standIns.splice(matching ? standIns.indexOf(matching) : standIns.length, 0, standIn);
  }
  if (isShortened) notes.push(`Results longer than ${maxResultCharacters} characters are shortened.`);
  return standIns;
}

/** JSON where the call returned JSON, so that it can be read and edited. */
function resultOf(content: string): unknown {
  if (content.length > maxResultCharacters) return cut(content, maxResultCharacters);
  if (!/^\s*[[{]/.test(content)) return content;
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}

/** The last text of the bot before the next message of the user. */
function answerTo(
  messages: readonly ConversationMessage[],
  from: ConversationMessage,
  until: ConversationMessage | undefined,
): string {
  const end = until ? messages.indexOf(until) : messages.length;
  const between = messages.slice(messages.indexOf(from), end);
  const answer = between.findLast(({ role, content }) => role === 'assistant' && content.trim() !== '');
  return cut(answer?.content ?? '', maxAnswerCharacters);
}

/** Never half of a character: such a text could not be saved. */
function cut(text: string, maxCharacters: number): string {
  return text.slice(0, maxCharacters).toWellFormed();
}
