import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hang, text, toolCall } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import {
  complete,
  endOfRun,
  incomplete,
  makeAgent,
  makeAskingAgent,
  pausedRun,
  playAgent,
  readConversation,
  runToItsEnd,
  startRun,
} from '../support/agents.ts';
import { askedBy, eventually, scriptedEnvironment } from '../support/chat.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let scripted: ScriptedModel;
let service: TestApp;

beforeAll(async () => {
  scripted = await startScriptedModel();
  service = await startTestApp({
    environment: scriptedEnvironment(scripted),
  });
});
afterAll(async () => {
  await service.stop();
  await scripted.close();
});
beforeEach(() => {
  scripted.reset();
});

const stop = (conversationId: string) =>
  service.call('POST /api/v1/chat/stop', { body: { conversation_id: conversationId } });

describe('a persistent conversation', () => {
  it('is continued by every run, and the agent remembers', async () => {
    const played = playAgent(scripted, [[text('Day one.')], [text('Day two.')]]);
    const agentId = await makeAgent(service, { persistent_conversation: true });
    const first = await runToItsEnd(service, agentId, { payload: 'First.' });
    const second = await runToItsEnd(service, agentId);
    expect(second.id).toBe(first.id);
    expect(second).toMatchObject({ final_output: 'Day two.', message_count: 4, run: { iterations: 1 } });
    expect(askedBy(played.asked()[1]).slice(1)).toEqual([
      { role: 'user', content: 'Count the stars.\n\nTrigger payload:\nFirst.' },
      { role: 'assistant', content: 'Day one.' },
      { role: 'user', content: 'Count the stars.' },
    ]);
    // The check is about this run alone.
    expect(askedBy(played.checks()[1]).at(-1)?.content).not.toContain('First.');
  });

  it('is summarised when it grows long, and a send-back is not a turn of its own', async () => {
    const long = 'word '.repeat(9_000);
    const played = playAgent(
      scripted,
      [[text(long)], [text('Sent back, done.')], [text(long)]],
      [incomplete('x'), complete],
    );
    const agentId = await makeAgent(service, { persistent_conversation: true });
    const { id } = await runToItsEnd(service, agentId);
    await runToItsEnd(service, agentId);
    const isSummary = (request: { body: Record<string, unknown> }) =>
      askedBy(request)[0]?.content.startsWith('You keep notes on a conversation') ?? false;
    await eventually(() => scripted.requests.filter(isSummary).length).toBe(1);
    const told = askedBy(scripted.requests.find(isSummary)).at(-1)?.content ?? '';
    // The whole first run went into the notes, from its goal to its final message.
    expect(told).toContain('user: Count the stars.');
    expect(told).toContain('Sent back, done.');
    await endOfRun(service, id);
    expect(played.checks().length).toBe(3);
  });

  it('is not used by agents without the setting', async () => {
    playAgent(scripted, [[text('Done.')]]);
    const agentId = await makeAgent(service);
    const first = await runToItsEnd(service, agentId);
    const second = await runToItsEnd(service, agentId);
    expect(second.id).not.toBe(first.id);
    expect(second.message_count).toBe(2);
  });
});

describe('truncating the conversation of a run', () => {
  const truncate = (id: string, message_id: string) =>
    service.call(`POST /api/v1/conversations/${id}/truncate`, { body: { message_id } });

  it('removes its output too', async () => {
    playAgent(scripted, [[text('A secret.')]]);
    const ended = await runToItsEnd(service, await makeAgent(service));
    expect(await truncate(ended.id, ended.messages[0].id)).toMatchObject({ status: 200 });
    const left = await readConversation(service, ended.id);
    expect(left).toMatchObject({ status: 'completed', final_output: null, message_count: 1 });
    expect(JSON.stringify(left)).not.toContain('A secret.');
  });

  it('forgets the runs that began after the message', async () => {
    playAgent(scripted, [[text('First.')], [text('Second.')]]);
    const agentId = await makeAgent(service, { persistent_conversation: true });
    const first = await runToItsEnd(service, agentId);
    await runToItsEnd(service, agentId);
    expect(await truncate(first.id, first.messages.at(-1).id)).toMatchObject({ status: 200 });
    expect(await readConversation(service, first.id)).toMatchObject({
      final_output: 'First.',
      run: first.run,
    });
  });

  it('is refused during a run, and ends a run that waits for a person', async () => {
    playAgent(scripted, [[hang]]);
    const running = await startRun(service, await makeAgent(service));
    await eventually(() => scripted.requests.length).toBe(1);
    const { messages } = await readConversation(service, running);
    expect(await truncate(running, messages[0].id)).toMatchObject({ status: 409 });
    await stop(running);

    scripted.reset();
    playAgent(scripted, [[toolCall('pay', {})]]);
    const { conversationId } = await pausedRun(service, await makeAskingAgent(service));
    const paused = await readConversation(service, conversationId);
    expect(await truncate(conversationId, paused.messages[0].id)).toMatchObject({
      status: 200,
      body: { cancelled_approvals: 1 },
    });
    expect(await readConversation(service, conversationId)).toMatchObject({ status: 'interrupted' });
  });
});
