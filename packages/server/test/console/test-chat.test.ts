import { afterAll, beforeAll, expect, it } from 'vitest';
import { chatWith, scriptedEnvironment } from '../support/chat.ts';
import { type HandPlayedModel, startHandPlayedModel } from '../support/hand-played-model.ts';
import { type ConsoleStage, openConsole } from './support/console.ts';

let model: HandPlayedModel;
let stage: ConsoleStage;
const chat = chatWith(() => stage);

beforeAll(async () => {
  model = await startHandPlayedModel();
  stage = await openConsole({ environment: scriptedEnvironment(model) });
});
afterAll(async () => {
  await stage.stop();
  await model.close();
});

it('reads an answer of a test aloud as it is shown, without its markdown', async () => {
  const desk = await stage.signIn('owner', { name: 'Ada Lovelace' });
  model.autoplay((reply) => {
    reply.write('**Yes**, within `30` days:\n\n- see [Returns](https://shop.example.com/returns)');
    reply.finish();
  });
  await desk.go(`/bots/${await chat.bot({ name: 'Support' })}`);
  const field = desk.page.getByRole('textbox', { name: 'Message', exact: true });
  await field.fill('Can I send it back?');
  await field.press('Enter');
  await expect
    .poll(() => desk.page.locator('#announcer-polite').textContent())
    .toBe('Yes, within 30 days: see Returns');
});
