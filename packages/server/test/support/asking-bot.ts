import { expect } from 'vitest';
import { text, toolCall } from '../scripted-model/script.ts';
import type { ScriptedModel } from '../scripted-model/server.ts';
import { chatWith, type SaidTurn } from './chat.ts';
import type { TestApp } from './test-app.ts';

export type Place = Pick<TestApp, 'url' | 'key' | 'call'>;

/** A bot that must ask before it announces anything. */
export async function makeAskingBot(place: Place, settings: object): Promise<string> {
  const botId = await chatWith(() => place).bot(settings);
  const tool = await place.call('POST /api/v1/tools', {
    body: {
      tool_type: 'http_request',
      name: 'announce',
      description: 'x',
      configuration: {
        method: 'POST',
        url: 'http://127.0.0.1:9/x',
        parameters: { type: 'object', properties: { title: { type: 'string' } } },
        approval: 'always',
      },
    },
  });
  const assignments = [{ tool_type: 'http_request', tool_configuration_id: tool.body.id }];
  await place.call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
  return botId;
}

/** A turn of such a bot, paused until a person answers. */
export async function pauseTurn(
  place: Place,
  scripted: ScriptedModel,
  botId: string,
): Promise<SaidTurn & { approvalId: string }> {
  scripted.enqueue([toolCall('announce', { title: 'Sale\nhttp://evil.example' })], [text('Done.')]);
  const turn = await chatWith(() => place).say({ bot_id: botId, new_conversation: true });
  expect(turn.last.event).toBe('turn.paused');
  return { ...turn, approvalId: turn.last.data.approval_ids[0] as string };
}
