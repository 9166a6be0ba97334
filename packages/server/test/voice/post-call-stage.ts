import type { TemplateValues } from '../../src/voice/post-call/fill-template.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { scriptedEnvironment } from '../support/chat.ts';
import { type OutsideServer, startOutsideServer } from '../support/outside-server.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { type EndedCalls, openEndedCalls } from './ended-calls.ts';

export interface PostCallStage {
  scripted: ScriptedModel;
  service: TestApp;
  /** Fails at `/broken` and never answers at `/silent`. */
  outside: OutsideServer;
  calls: EndedCalls;
  received: { path: string; body: unknown }[];
  close(): Promise<void>;
}

/** A service that works on what comes after calls, and something outside for the hooks to reach. */
export async function openPostCallStage(): Promise<PostCallStage> {
  const received: PostCallStage['received'] = [];
  const scripted = await startScriptedModel();
  const outside = await startOutsideServer((request, response) => {
    const path = request.url ?? '';
    if (path === '/silent') return;
    let body = '';
    request.on('data', (chunk) => {
      body += String(chunk);
    });
    request.on('end', () => {
      received.push({ path, body: JSON.parse(body) });
      response.writeHead(path === '/broken' ? 500 : 200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  const prices = JSON.stringify({ 'openai/gpt-4*': { input: 10, output: 100 } });
  const service = await startTestApp({
    environment: {
      ...scriptedEnvironment(scripted),
      SVC_MODEL_PRICES: prices,
      SVC_EGRESS_ALLOW: '127.0.0.1',
    },
  });
  const calls = await openEndedCalls(service.database, service.config, service.encryptionKey);
  return {
    scripted,
    service,
    outside,
    calls,
    received,
    async close() {
      await calls.close();
      await service.stop();
      outside.close();
      await scripted.close();
    },
  };
}

/** Of a call about which nothing is known. */
export const callValues: TemplateValues['call'] = {
  call_id: '',
  direction: '',
  from_number: null,
  to_number: null,
  status: '',
  end_reason: null,
  duration_seconds: 0,
  cost_usd: '0',
  answered_at: null,
  ended_at: null,
  bot_id: '',
};
