import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { askedBy, chatWith, scriptedEnvironment, turnOf } from '../support/chat.ts';
import { type HandPlayedModel, startHandPlayedModel } from '../support/hand-played-model.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

interface User {
  bot_id: string;
  external_user_id: string;
}

/** Gives the tests of a file a bot that can ask for a person. `service` and `model` exist only once the tests run. */
export function useHelpDesk() {
  let service: TestApp;
  let model: HandPlayedModel;
  let botId: string;
  const chat = chatWith(() => service);
  beforeAll(async () => {
    model = await startHandPlayedModel();
    service = await startTestApp({ environment: scriptedEnvironment(model) });
    botId = await makeBot(service.key);
  });
  afterAll(async () => {
    await service.stop();
    await model.close();
  });

  async function makeBot(key: string): Promise<string> {
    const body = { name: 'Bot', system_prompt: 'Be kind.' };
    const { id } = (await service.call('POST /api/v1/bots', { key, body })).body;
    const assignments = [{ tool_type: 'handoff' }, { tool_type: 'calculator' }];
    await service.call('POST /api/v1/tools/assign', { key, body: { bot_id: id, assignments } });
    return id;
  }

  /** The next request of the service, and a reply to it. */
  async function reply(text: string): Promise<{ role: string; content: string }[]> {
    const asked = await model.next();
    asked.write(text);
    asked.finish();
    return askedBy(asked);
  }

  return {
    get service() {
      return service;
    },
    get model() {
      return model;
    },
    chat,
    makeBot,
    reply,
    newUser: (): User => ({ bot_id: botId, external_user_id: randomUUID() }),
    read: async (id: string) => (await service.call(`GET /api/v1/conversations/${id}`)).body,
    isLogged: async (id: string, after: number) =>
      (await chat.log(id, after)).map((event) => [event.id, event.event, event.data]),
    patch: (id: string, body: unknown, key = service.key) =>
      service.call(`PATCH /api/v1/conversations/${id}`, { key, body }),
    write: (id: string, content: unknown, options: { key?: string; headers?: Record<string, string> } = {}) =>
      service.call(`POST /api/v1/conversations/${id}/messages`, { body: { content }, ...options }),

    /** A turn in which the bot answers with this text. */
    async talk(user: User, message: string, text: string) {
      const sent = await chat.send({ ...user, message });
      const asked = await reply(text);
      return { ...turnOf((await sent.ended()).events), asked };
    },

    /** A turn in which the bot asks for a person. */
    async handOff(user: User, reason: string) {
      const sent = await chat.send({ ...user, message: 'A person, please' });
      (await model.next()).callTool('handoff', { reason });
      const asked = await reply('Somebody comes.');
      return { ...turnOf((await sent.ended()).events), asked };
    },
  };
}
