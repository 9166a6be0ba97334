import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { findSchemaFaults } from '../../../validation/json-schema/find-schema-faults.ts';
import type { PersonAnswer, Question } from '../../tool-type.ts';

const maxMessageLength = 2_000;
const maxSchemaLength = 64 * 1024;
const maxQuestions = 10;

export type Ask = (question: Question, signal: AbortSignal) => Promise<PersonAnswer>;

/** Asks one question of a call at a time and only so many altogether, so that a server cannot hold a turn for ever. */
export function limitQuestions(ask: Ask): Ask {
  let asked = 0;
  let isOpen = false;
  return async (question, signal) => {
    if (isOpen || asked >= maxQuestions) return { action: 'cancel' };
    isOpen = true;
    asked += 1;
    try {
      return await ask(question, signal);
    } finally {
      isOpen = false;
    }
  };
}

/** Asks a person what a server wants to know, if it can be asked as a form. */
export async function elicit(
  params: ElicitRequest['params'],
  ask: (question: Question) => Promise<PersonAnswer>,
): Promise<ElicitResult> {
  if (!('requestedSchema' in params)) return { action: 'cancel' };
  const schema: Record<string, unknown> = { ...params.requestedSchema };
  const isUsable = JSON.stringify(schema).length <= maxSchemaLength && findSchemaFaults(schema).length === 0;
  if (!isUsable) return { action: 'cancel' };
  const answer = await ask({ message: params.message.slice(0, maxMessageLength).toWellFormed(), schema });
  return answer.action === 'accept'
    ? { action: 'accept', content: answer.content as ElicitResult['content'] }
    : { action: answer.action };
}
