import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { type Chat, chatWith, scriptedEnvironment } from '../support/chat.ts';
import { evaluating, playBot } from '../support/evaluating.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

/** What the tests of a file share. `service` and `scripted` exist only once the tests run. */
export interface EvaluationSetup extends ReturnType<typeof evaluating> {
  readonly service: TestApp;
  readonly scripted: ScriptedModel;
  readonly chat: Chat;
}

/** Gives the tests of a file a service and a model; before each, the model forgets its requests and plays the bot. */
export function useEvaluations(environment: Record<string, string> = {}): EvaluationSetup {
  let service: TestApp;
  let scripted: ScriptedModel;
  beforeAll(async () => {
    scripted = await startScriptedModel();
    service = await startTestApp({ environment: { ...scriptedEnvironment(scripted), ...environment } });
  });
  afterAll(async () => {
    await service.stop();
    await scripted.close();
  });
  beforeEach(() => {
    scripted.reset();
    playBot(scripted);
  });
  return {
    get service() {
      return service;
    },
    get scripted() {
      return scripted;
    },
    chat: chatWith(() => service),
    ...evaluating(() => service),
  };
}
