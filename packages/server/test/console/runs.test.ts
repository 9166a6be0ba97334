import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { text } from '../scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../scripted-model/server.ts';
import { makeAgent, playAgent } from '../support/agents.ts';
import { type Chat, chatWith, scriptedEnvironment } from '../support/chat.ts';
import { judged, playBot } from '../support/evaluating.ts';
import { type ConsoleStage, type Desk, openConsole } from './support/console.ts';

let scripted: ScriptedModel;
let stage: ConsoleStage;
let ada: Desk;
let chat: Chat;

beforeAll(async () => {
  scripted = await startScriptedModel();
  stage = await openConsole({ environment: scriptedEnvironment(scripted) });
  ada = await stage.signIn('operator', { name: 'Ada' });
  chat = chatWith(() => stage);
});
afterAll(async () => {
  await stage.stop();
  await scripted.close();
});
beforeEach(() => scripted.reset());

const button = (name: string | RegExp) => ada.page.getByRole('button', { name, exact: true });

it('runs an agent with instructions and sees the run appear and end', async () => {
  playAgent(scripted, [[text('Forty-two stars.', 300)]]);
  const agentId = await makeAgent(stage, { name: 'Astronomer' });
  await ada.go(`/runs?bot=${agentId}`);
  await ada.page.getByText('No run matches these filters').waitFor();
  await button('Run now').click();
  await ada.page.getByLabel('Instructions for this run').fill('Only the northern sky.');
  await ada.page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
  const row = ada.page.getByRole('table', { name: 'Runs' }).getByRole('row', { name: /Astronomer/ });
  // The browser is not asked to read anything again: what the socket reports is enough.
  await row.getByText('Completed').waitFor();
  await row.getByText('By hand').waitFor();
  await row.getByTitle('Only the northern sky.').waitFor();
  await row.getByRole('link', { name: 'Astronomer' }).click();
  await ada.page.getByText('Forty-two stars.').first().waitFor();
});

it('opens the run of an agent that is busy instead of starting another', async () => {
  playAgent(scripted, [[{ type: 'hang' }]]);
  const agentId = await makeAgent(stage, { name: 'Sleeper' });
  await ada.go(`/runs?run=${agentId}`);
  const dialog = ada.page.getByRole('dialog');
  // A run that was in the way and is over does not stay in the way.
  const over = {
    code: 'RUN_IN_PROGRESS',
    message: 'It is running.',
    details: [{ conversation_id: agentId }],
  };
  await ada.page.route('**/trigger', (route) => route.fulfill({ status: 409, json: over }), { times: 1 });
  const agentsRead = ada.page.waitForResponse('**/api/console/agents');
  await dialog.getByRole('button', { name: 'Run now' }).click();
  await agentsRead;
  await dialog.getByRole('button', { name: 'Run now' }).waitFor();
  const started = await stage.call(`POST /api/v1/agents/${agentId}/trigger`);
  await dialog.getByRole('button', { name: 'Open the run' }).click();
  await expect.poll(ada.place).toContain(`/conversations/${started.body.data.conversation_id}`);
  const body = { conversation_id: started.body.data.conversation_id };
  await stage.call('POST /api/v1/chat/stop', { body });
});

it('says what a schedule means while it is typed, and what is wrong with it', async () => {
  const agentId = await makeAgent(stage, { name: 'Planner', schedule: 'TZ=Asia/Tokyo 0 9 * * 1-5' });
  await ada.go(`/bots/${agentId}/schedule`);
  await ada.page.getByText('At 09:00, Monday through Friday (Asia/Tokyo)').waitFor();
  const times = ada.page.getByRole('table', { name: 'The next five times' });
  expect(await times.getByRole('row').count()).toBe(6);
  await ada.page.getByLabel('Schedule', { exact: true }).fill('0 25 * * *');
  await ada.page.getByText('The schedule has "25" for the hour').waitFor();
  await button('Weekdays at 09:00').waitFor();
  await ada.page.getByLabel('Schedule', { exact: true }).fill('30 18 * * *');
  await ada.page.getByText('At 18:30, every day (Asia/Tokyo)').waitFor();
  await ada.go(`/runs/calendar?bot=${agentId}`);
  await ada.page.getByRole('table', { name: /Runs in/ }).waitFor();
});

it('needs a goal for a schedule, and says what a run returns to whom', async () => {
  const agentId = await makeAgent(stage, { name: 'Counter', schedule: '0 9 * * *' });
  // As it was stored before schedules needed a goal.
  await stage.database.acrossWorkspaces.raw('update bots set agent_goal = null where id = $1', [agentId]);
  await ada.go(`/bots/${agentId}/schedule`);
  await ada.page.getByText('Without a goal the schedule starts nothing.').waitFor();
  await ada.page.getByRole('link', { name: 'Write its goal' }).click();
  const goal = ada.page.getByLabel('Goal', { exact: true });
  await goal.fill('Count the stock.');
  await button(/^Save/).click();
  await ada.page.getByText('Saved as version').waitFor();
  await goal.fill('');
  // What the schema finds is shown together with what the rules find.
  const name = ada.page.getByLabel('Name', { exact: true });
  await name.fill('');
  await button(/^Save/).click();
  await ada.page.getByText(/^Is needed by an agent with a schedule/).waitFor();
  await ada.page.getByText(/^Must not be empty/).waitFor();
  expect(await name.getAttribute('aria-invalid')).toBe('true');
  expect(await goal.getAttribute('aria-invalid')).toBe('true');
  await ada.page
    .getByRole('alert')
    .getByText(/^Name must not be empty\. Goal is needed by an agent/)
    .waitFor();
  await name.fill('Counter');
  await ada.page.getByText(/^Must not be empty/).waitFor({ state: 'detached' });
  await goal.fill('Count the stock.');
  await ada.page.getByText(/^Is needed by an agent with a schedule/).waitFor({ state: 'detached' });

  await ada.go(`/bots/${agentId}/schedule`);
  await ada.page.getByRole('radio', { name: 'JSON' }).press('Space');
  const schema = ada.page.getByRole('textbox', { name: 'JSON Schema of the result' });
  await schema.fill('{ "type": ');
  await button(/^Save/).click();
  await ada.page.getByText(/^Is not valid JSON/).waitFor();
  await schema.fill('{"type":"object"}');
  await ada.page.getByLabel('Webhook').fill('https://example.com/runs');
  await button(/^Save/).click();
  const read = async () => (await stage.call(`GET /api/v1/bots/${agentId}`)).body.output_config;
  const output = { format: 'json', schema: { type: 'object' }, webhook_url: 'https://example.com/runs' };
  await expect.poll(read).toEqual(output);
  await ada.page.getByRole('radio', { name: 'Text' }).press('Space');
  await ada.page.getByLabel('Webhook').fill('');
  await button(/^Save/).click();
  await expect.poll(read).toBeNull();
});

it('keeps what is typed while the JSON editor is loaded', async () => {
  const agentId = await makeAgent(stage, { name: 'Typist', schedule: '0 9 * * *' });
  const letGo = Promise.withResolvers<void>();
  await ada.page.route(/\/code-editor[^/]*\.js$/, async (route) => {
    await letGo.promise;
    await route.continue();
  });
  await ada.go(`/bots/${agentId}/schedule`);
  await ada.page.getByRole('radio', { name: 'JSON' }).press('Space');
  const schema = ada.page.getByRole('textbox', { name: 'JSON Schema of the result' });
  await schema.click();
  await ada.page.keyboard.type('{"type":"x"}');
  for (let key = 0; key < 2; key++) await ada.page.keyboard.press('ArrowLeft');
  await ada.page.keyboard.press('Shift+ArrowLeft');
  letGo.resolve();
  await ada.page.locator('.cm-content').waitFor();
  await ada.page.keyboard.type('object');
  await expect.poll(() => schema.innerText()).toBe('{"type":"object"}');
  await ada.page.unroute(/\/code-editor[^/]*\.js$/);
});

it('compares two versions and goes back to the older one', async () => {
  const botId = await chat.bot({ name: 'Support', system_prompt: 'You are polite.' });
  await stage.call(`PUT /api/v1/bots/${botId}`, {
    body: { system_prompt: 'You are rude.', temperature: 0.2 },
  });
  await ada.go(`/bots/${botId}/versions`);
  await button('Compare version 1 with the live one').click();
  expect(ada.place()).toContain('compare=1..2');
  await ada.page.getByRole('cell', { name: 'You are polite.' }).waitFor();
  await ada.page.getByRole('row', { name: 'Temperature' }).waitFor();
  await button('Restore version 1').click();
  await ada.page.getByText('Version 1 is live again, as version 3.').waitFor();
  const { body: bot } = await stage.call(`GET /api/v1/bots/${botId}`);
  expect(bot).toMatchObject({ system_prompt: 'You are polite.' });
});

it('says everything that is in the way of restoring a version', async () => {
  const botId = await chat.bot({ name: 'Cashier' });
  const body = { tool_type: 'calculator', name: 'Sums', description: 'Adds.', configuration: {} };
  const { id } = (await stage.call('POST /api/v1/tools', { body })).body;
  const assignments = [{ tool_type: 'calculator', tool_configuration_id: id }];
  await stage.call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
  await stage.call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments: [] } });
  await stage.call(`DELETE /api/v1/tools/${id}`);
  await ada.go(`/bots/${botId}/versions`);
  await button('Restore version 2').click();
  await ada.page.getByRole('alert').getByText('cannot be used any more').waitFor();
});

it('saves a conversation as a scenario and evaluates it', async () => {
  playBot(scripted, {
    reply: () => [text('It is in Cologne.')],
    judge: () => judged({ number: 1, holds: false, explanation: 'The answer says Cologne.' }),
  });
  const botId = await chat.bot({ name: 'Shipping' });
  const { conversationId } = await chat.say({ bot_id: botId, message: 'Where is order 4711?' });
  // Other tests provoke errors on the same page.
  ada.complaints.length = 0;
  await ada.go(`/bots/${botId}/evaluations?scenario=new&conversation=${conversationId}`);
  const dialog = ada.page.getByRole('dialog');
  expect(await dialog.getByLabel('Message 1', { exact: true }).inputValue()).toBe('Where is order 4711?');
  await dialog.getByRole('button', { name: 'Add fact' }).click();
  await dialog.getByLabel('Fact 1', { exact: true }).fill('The order is in Bonn.');
  await dialog.getByRole('button', { name: 'Save scenario' }).click();
  await button('Evaluate').click();
  const cell = ada.page.getByRole('link', { name: 'Where is order 4711? in version 1: Failed' });
  await cell.click();
  await ada.page.getByText('Does not hold').waitFor();
  expect(ada.place()).toMatch(/evaluation=.*scenario=/);
  await ada.page.getByRole('link', { name: 'Open the conversation' }).waitFor();
  // An answer that a change has made old is not waited for.
  expect(ada.complaints.filter((one) => !one.endsWith('net::ERR_ABORTED'))).toEqual([]);
});
