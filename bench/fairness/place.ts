import { once } from 'node:events';
import { createServer } from 'node:net';
import { openDatabase } from '../../packages/server/src/database/database.ts';
import { createKeyCache } from '../../packages/server/src/keys/key-cache.ts';
import { createKeyService } from '../../packages/server/src/keys/keys.service.ts';
import { systemClock } from '../../packages/server/src/lib/clock.ts';
import {
  createWorkspaceService,
  type LimitChanges,
} from '../../packages/server/src/workspaces/workspaces.service.ts';
import { startDnsServer } from '../../packages/server/test/support/dns-server.ts';
import { createBot } from '../chat/create-bot.ts';
import type { CleanUp } from '../support/clean-up.ts';
import type { TurnsJob } from '../support/generator/job.ts';
import { type Generator, startGenerator } from '../support/generator/start.ts';
import { startProcess } from '../support/start-process.ts';
import { type MeasuredService, startService } from '../support/start-service.ts';

export interface Place {
  url: string;
  /** Measures; its messages are those of the quiet workspace. */
  quiet: { generator: Generator; job: Omit<TurnsJob, 'streams' | 'until'> };
  flooder: {
    generator: Generator;
    headers: Record<string, string>;
    botId: string;
    conversationId: string;
  };
  /** As the flooder; what is over a limit is refused, and that is fine. */
  post(path: string, body: object): Promise<void>;
  /** Takes connections and says nothing. */
  silentUrl: string;
}

/** A service with two workspaces, one of which is about to behave badly; only that one has these limits. */
export async function makePlace(cleanUp: CleanUp, limits: LimitChanges): Promise<Place> {
  const names = await startDnsServer(() => 'silence');
  await cleanUp.add(() => names.close());
  const silentPort = await startSilentServer(cleanUp);
  const model = await startProcess(cleanUp, {
    file: import.meta.resolve('../support/model.ts'),
    readyPath: '/',
    environment: {},
  });
  const service = await startService(cleanUp, {
    OPENAI_BASE_URL: `${model.url}/v1`,
    SVC_DNS_SERVERS: names.address,
    SVC_EGRESS_ALLOW: `127.0.0.0/8:${silentPort}`,
  });
  const key = await makeFlooder(cleanUp, service, limits);
  const flooder = { ...service, key };
  const botId = await createBot(flooder, 'paced');
  const headers = { authorization: `Bearer ${key}` };
  return {
    url: service.url,
    quiet: { generator: await startGenerator(cleanUp), job: await messagesOf(service) },
    flooder: {
      generator: await startGenerator(cleanUp),
      headers,
      botId,
      conversationId: await startConversation(flooder, botId),
    },
    async post(path, body) {
      const answer = await fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      await answer.arrayBuffer();
      if (!answer.ok && answer.status !== 429) throw new Error(`${path} answered ${answer.status}.`);
    },
    silentUrl: `http://127.0.0.1:${silentPort}`,
  };
}

async function messagesOf(service: MeasuredService): Promise<Place['quiet']['job']> {
  return {
    kind: 'turns',
    url: `${service.url}/api/v1/chat/send-stream`,
    headers: { authorization: `Bearer ${service.key}` },
    body: {
      bot_id: await createBot(service, 'at-once'),
      message: 'Where is my parcel?',
      external_user_id: 'customer-17',
      new_conversation: true,
    },
    endMark: 'event: turn.completed',
  };
}

async function makeFlooder(
  cleanUp: CleanUp,
  { connection }: MeasuredService,
  limits: LimitChanges,
): Promise<string> {
  const database = openDatabase({ connection, onConnectionError: () => undefined });
  await cleanUp.add(() => database.close());
  const workspaces = createWorkspaceService({ database });
  const keys = createKeyService({ database, cache: createKeyCache(), clock: systemClock });
  const made = await database.acrossWorkspaces.transaction(async (tx) => {
    const { id } = await workspaces.create(tx, 'Flood');
    const { key } = await keys.create(tx, { workspaceId: id, name: 'flood', abilities: 'all' });
    return { id, key };
  });
  await workspaces.changePlan(made.id, {}, limits);
  return made.key;
}

async function startConversation({ url, key }: MeasuredService, botId: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/chat/send-stream`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ bot_id: botId, message: 'Hello', external_user_id: 'flood' }),
  });
  const id = /"conversation_id":"([^"]+)"/.exec(await answer.text())?.[1];
  if (!id) throw new Error(`No conversation was started: ${answer.status}.`);
  return id;
}

async function startSilentServer(cleanUp: CleanUp): Promise<number> {
  const server = createServer((socket) => void socket.on('error', () => undefined));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await cleanUp.add(async () => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('A TCP server has a port.');
  return address.port;
}
