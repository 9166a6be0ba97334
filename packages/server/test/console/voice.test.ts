import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeCall } from '../support/make-call.ts';
import { type ConsoleStage, type Desk, openConsole } from './support/console.ts';

let stage: ConsoleStage;
let ada: Desk;
let botId: string;

beforeAll(async () => {
  stage = await openConsole();
  ada = await stage.signIn('operator', { name: 'Ada' });
  const body = { name: 'Support', system_prompt: 'Help.', outbound_calls_enabled: true };
  botId = (await stage.call('POST /api/v1/bots', { body })).body.id;
});
afterAll(() => stage.stop());

const button = (name: string) => ada.page.getByRole('button', { name, exact: true });

it('says what calls need, connects a number to a bot, and explains why it cannot call from it', async () => {
  await ada.go('/voice/numbers');
  await ada.page.getByText('Telephone calls are off.').waitFor();
  await ada.page.getByText('SIP_TRUNK_URI').first().waitFor();
  await button('Add a number').click();
  const dialog = ada.page.getByRole('dialog');
  await dialog.getByLabel('Phone number').fill('+1 (555) 0100');
  await dialog.getByRole('button', { name: 'Answered by' }).click();
  await ada.page.getByRole('option', { name: 'Support' }).click();
  await dialog.getByLabel('Greeting').fill('Hello, this is Acme.');
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  const row = ada.page.getByRole('table', { name: 'Numbers' }).getByRole('row', { name: /\+15550100/ });
  await row.getByText('Hello, this is Acme.').waitFor();
  await row.getByRole('button', { name: /Actions/ }).click();
  await ada.page.getByRole('menuitem', { name: /Call from this number/ }).click();
  await ada.page
    .getByRole('alert')
    .getByText(/\+15550100 cannot place calls/)
    .waitFor();
  await row.getByRole('button', { name: /Actions/ }).click();
  await ada.page.getByRole('menuitem', { name: 'Delete…' }).click();
  await button('Delete').click();
  await ada.page.getByText('No number leads to a bot yet').waitFor();
});

it('lists calls with their outcome, and shows one with its latencies and hooks', async () => {
  const callId = await makeCall(stage, { botId, heard: 'Where is my parcel?', said: 'It is in' });
  await makeCall(stage, { botId, status: 'no_answer', endReason: 'no_answer', direction: 'outbound' });
  await ada.go('/voice/calls');
  const calls = ada.page.getByRole('table', { name: 'Calls' });
  await calls.getByText('Nobody answered').waitFor();
  await ada.go('/voice/calls?status=completed');
  await calls.getByText('The caller hung up').waitFor();
  expect(await calls.getByText('Nobody answered').count()).toBe(0);
  await calls.getByRole('link', { name: 'From +15550123' }).click();
  await expect.poll(ada.place).toContain(`/conversations/${callId}`);
  const header = ada.page.getByRole('region', { name: 'Call', exact: true });
  await header.getByText('asked about a parcel').waitFor();
  await header.getByText('Answers took 1150 ms (p50), 1150 ms (p95)').waitFor();
  await ada.page
    .getByText('Answered after 1150 ms: end of turn 300 ms, text 120 ms, model 640 ms, speech 90 ms')
    .waitFor();
  await ada.page.getByText('The caller interrupted: this much was heard').waitFor();
  const hooks = ada.page.getByRole('region', { name: 'After the call' });
  await hooks.getByText('The CRM answered with status 500.').waitFor();
});

it('follows a call while it lasts', async () => {
  const callId = await makeCall(stage, { botId, status: 'in_progress', endReason: null });
  await ada.go(`/conversations/${callId}`);
  const header = ada.page.getByRole('region', { name: 'Call', exact: true });
  await header.getByText('On the phone').waitFor();
  await button('End call').waitFor();
});

it('says which bots can call, and why a call cannot be placed', async () => {
  await ada.go('/voice/calls?call=new');
  await ada.page.getByText('No bot can place calls yet.').waitFor();
});

it('runs tools after calls, in order', async () => {
  for (const name of ['Note', 'Mail']) {
    const body = { tool_type: 'calculator', name, description: 'x', configuration: {} };
    await stage.call('POST /api/v1/tools', { body });
  }
  await ada.go(`/bots/${botId}/voice`);
  for (const name of ['Note', 'Mail']) {
    await button('Add a tool').click();
    const dialog = ada.page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Tool', exact: false }).first().click();
    await ada.page.getByRole('option', { name }).click();
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await ada.page.getByRole('list', { name: 'Hooks' }).getByRole('link', { name }).waitFor();
  }
  await button('Run Mail earlier').click();
  const read = async () => (await stage.call(`GET /api/v1/bots/${botId}/post-call-hooks`)).body;
  await expect
    .poll(async () => (await read()).map((hook: { tool_name: string }) => hook.tool_name))
    .toEqual(['Mail', 'Note']);
  await ada.page.getByText('No number leads to this bot.').waitFor();
});

it('leaves out for viewers what they may not do', async () => {
  await makeCall(stage, { botId, status: 'in_progress', endReason: null });
  const eve = await stage.signIn('viewer');
  await eve.go('/voice/calls');
  await eve.page.getByRole('table', { name: 'Calls' }).waitFor();
  expect(await eve.page.getByRole('button', { name: /Call me|End call/ }).count()).toBe(0);
  expect(ada.complaints.filter((text) => !/422/.test(text))).toEqual([]);
});
