import type { Script } from '../../scripted-model/script.ts';
import { type ScriptedModel, type ScriptedRequest, startScriptedModel } from '../../scripted-model/server.ts';

export interface PlannedModel {
  url: string;
  /** Scripts for calls with this as the latest user message; the last one is repeated. */
  plan(message: string, ...scripts: Script[]): void;
  /** How often the model was asked to answer this message. */
  calls(message: string): number;
  close(): Promise<void>;
}

/** A model whose answer depends on the message alone, whichever conversation, node or attempt sends it. */
export async function startPlannedModel(): Promise<PlannedModel> {
  const model: ScriptedModel = await startScriptedModel();
  const plans = new Map<string, Script[]>();
  const calls = (message: string) => model.requests.filter((request) => latest(request) === message).length;
  model.respondWith((request) => {
    const message = latest(request);
    const scripts = plans.get(message) ?? [[{ type: 'text', text: `Answer to ${message}.` }]];
    return scripts[Math.min(calls(message), scripts.length) - 1] ?? [];
  });
  return {
    url: model.url('openai'),
    plan: (message, ...scripts) => void plans.set(message, scripts),
    calls,
    close: () => model.close(),
  };
}

function latest({ body }: ScriptedRequest): string {
  const messages = body['messages'] as { content: string }[];
  return messages.at(-1)?.content ?? '';
}
