import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { makeCall } from '../support/make-call.ts';
import { type FakeElevenLabs, startFakeElevenLabs } from '../support/voice/fake-elevenlabs.ts';
import { type FakeTwilio, startFakeTwilio } from '../support/voice/fake-twilio.ts';
import { type ConsoleStage, type Desk, openConsole } from './support/console.ts';

let twilio: FakeTwilio;
let elevenLabs: FakeElevenLabs;
let stage: ConsoleStage;
let ada: Desk;
let botId: string;

beforeAll(async () => {
  const voices = [{ id: 'george', name: 'George', language: 'en', gender: 'male' }];
  [twilio, elevenLabs] = await Promise.all([startFakeTwilio(), startFakeElevenLabs({ voices })]);
  const port = await freePort();
  const environment = {
    ...twilio.environment,
    SVC_PUBLIC_URL: `http://127.0.0.1:${port}`,
    ELEVENLABS_API_KEY: 'key',
    ELEVENLABS_BASE_URL: elevenLabs.url,
    // Nobody answers there.
    CARTESIA_API_KEY: 'key',
    CARTESIA_BASE_URL: 'http://127.0.0.1:1',
  };
  stage = await openConsole({ port, environment });
  ada = await stage.signIn('operator', { name: 'Ada' });
  const body = { name: 'Support', system_prompt: 'Help.', outbound_calls_enabled: true };
  botId = (await stage.call('POST /api/v1/bots', { body })).body.id;
});
afterAll(async () => {
  await stage.stop();
  await twilio.stop();
  await elevenLabs.close();
});

const button = (name: string) => ada.page.getByRole('button', { name, exact: true });

/** What can be chosen is read when a dialog is shown, and an empty list does not open. */
const offered = (dialog: Locator, name: string) =>
  dialog.locator('option', { hasText: name }).waitFor({ state: 'attached' });

it('says what calls need, connects a number to a bot, and explains why it cannot call from it', async () => {
  await ada.go('/voice/numbers');
  await ada.page.getByText(/Twilio cannot reach .* set SVC_PUBLIC_URL/).waitFor();
  await ada.page.getByText('What to enter at Twilio').click();
  await ada.page.getByText(`${stage.url}/voice/twilio/incoming`).waitFor();
  await ada.page.getByText(`${stage.url}/voice/twilio/status`).waitFor();
  twilio.numbers.push({ phone_number: '+15550100', capabilities: { voice: false } });
  await ada.page.getByText('Where bots can call, and how often').click();
  await ada.page.getByText(/premium-rate numbers, satellite phones/).waitFor();
  await ada.page.getByText(/100 calls an hour and 500 a day/).waitFor();
  await button('Add a number').click();
  const dialog = ada.page.getByRole('dialog');
  await dialog.getByLabel('Phone number').fill('+1 (555) 0100');
  await offered(dialog, 'Support');
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
  await row.waitFor({ state: 'detached' });
});

it('lists calls with their outcome, and shows one with its latencies and hooks', async () => {
  // Three seconds of a tone on both sides.
  const recording = Buffer.from(Array.from({ length: 48_000 }, (_, at) => (at % 8 < 4 ? 0x20 : 0xa0)));
  const callId = await makeCall(stage, { botId, heard: 'Where is my parcel?', said: 'It is in', recording });
  await makeCall(stage, { botId, status: 'no_answer', endReason: 'no_answer', direction: 'outbound' });
  await ada.go('/voice/calls');
  const calls = ada.page.getByRole('table', { name: 'Calls' });
  await calls.getByText('Nobody answered').waitFor();
  await ada.go('/voice/calls?status=completed');
  await calls.getByText('The caller hung up').waitFor();
  expect(await calls.getByText('Nobody answered').count()).toBe(0);
  await calls
    .getByRole('row', { name: /The caller hung up/ })
    .getByRole('link', { name: 'From +15550123' })
    .click();
  await expect.poll(ada.place).toContain(`/conversations/${callId}`);
  const header = ada.page.getByRole('region', { name: 'Call', exact: true });
  await header.getByText('asked about a parcel').waitFor();
  await header.getByText('Answers took 1150 ms (p50), 1150 ms (p95)').waitFor();
  await ada.page
    .getByText('Answered after 1150 ms: end of turn 300 ms, text 120 ms, model 640 ms, speech 90 ms')
    .waitFor();
  await ada.page.getByText('The caller interrupted: this much was heard').waitFor();
  const player = header.getByLabel('Recording of the call');
  await player.waitFor();
  const line = ada.page.getByRole('button', { name: 'Hear from 0:01' });
  await line.focus();
  await line.press('Enter');
  const heardFrom = () =>
    player.evaluate(({ currentTime, error, duration }: HTMLAudioElement) => [
      error?.message ?? null,
      duration,
      currentTime >= 1,
    ]);
  await expect.poll(heardFrom).toEqual([null, 3, true]);
  await ada.page.getByRole('button', { name: 'Hear from 0:00' }).waitFor();
  const hooks = ada.page.getByRole('region', { name: 'After the call' });
  await hooks.getByText('The CRM answered with status 500.').waitFor();
});

it('follows a call while it lasts', async () => {
  const callId = await makeCall(stage, { botId, status: 'in_progress', endReason: null });
  await ada.go(`/conversations/${callId}`);
  const header = ada.page.getByRole('region', { name: 'Call', exact: true });
  await header.getByText('On the phone').waitFor();
  await button('End call').click();
  await header.getByText('Ended by the team').waitFor();
  await button('End call').waitFor({ state: 'detached' });
});

it('ends a call from the list on a narrow screen', async () => {
  await makeCall(stage, { botId, status: 'in_progress', endReason: null });
  const size = ada.page.viewportSize();
  await ada.page.setViewportSize({ width: 360, height: 740 });
  await ada.go('/voice/calls?status=in_progress');
  const calls = ada.page.getByRole('table', { name: 'Calls' });
  await calls.getByText('On the phone').first().waitFor();
  const width = await ada.page.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBe(360);
  const count = await calls.getByRole('button', { name: 'End call' }).count();
  await calls.getByRole('button', { name: 'End call' }).first().click();
  await expect.poll(() => calls.getByRole('button', { name: 'End call' }).count()).toBe(count - 1);
  if (size) await ada.page.setViewportSize(size);
});

it('calls somebody, shows the call live, and ends it', async () => {
  await ada.go('/voice/calls?call=new');
  await ada.page.getByText('No bot can place calls yet.').waitFor();
  const number = { phone_number: '+12025550107', bot_id: botId };
  twilio.numbers.push({ phone_number: number.phone_number, capabilities: { voice: true } });
  const { id } = (await stage.call('POST /api/v1/voice/numbers', { body: number })).body;
  await ada.go('/voice/numbers');
  await ada.page.getByRole('button', { name: 'Actions for +12025550107' }).click();
  await ada.page.getByRole('menuitem', { name: /Call from this number/ }).click();
  await expect
    .poll(async () => (await stage.call('GET /api/v1/voice/numbers')).body)
    .toEqual([expect.objectContaining({ id, is_outbound_primary: true })]);

  // The first of the pages about voice.
  await ada.go('/voice');
  await button('Call me').click();
  const dialog = ada.page.getByRole('dialog');
  await dialog.getByLabel('Your number').fill('+1 (202) 555-0177');
  const placed = twilio.nextCall();
  await dialog.getByRole('button', { name: 'Call', exact: true }).click();
  const call = await placed;
  expect(call.form).toMatchObject({ From: '+12025550107', To: '+12025550177' });
  await call.report('ringing');
  await dialog.getByText('Ringing').waitFor();
  await call.answer();
  await dialog.getByText('On the phone').waitFor();
  await dialog.getByRole('button', { name: 'End call' }).click();
  await dialog.getByText('Ended by the team').waitFor();
  await call.ended;
  await dialog.getByRole('link', { name: 'Read the conversation' }).click();
  const header = ada.page.getByRole('region', { name: 'Call', exact: true });
  await header.getByText('To +12025550177 from +12025550107').waitFor();
  await stage.call(`DELETE /api/v1/voice/numbers/${id}`);
});

it('plays how a voice sounds, and fills it in for a bot', async () => {
  await ada.go('/voice/catalog?q=george');
  await button('Play a sample of George').click();
  await expect
    .poll(() => elevenLabs.spoken.map(({ text }) => text))
    .toContainEqual(expect.stringMatching(/how I sound/));
  // It has been heard to its end.
  await button('Play a sample of George').waitFor();
  const alerts = await ada.page.getByRole('alert').allTextContents();
  expect(alerts).toEqual([
    expect.stringContaining('There are no voices of Cartesia. If they could not be read, the log'),
  ]);
  await button('Use for a bot: George').click();
  await offered(ada.page.getByRole('dialog'), 'Support');
  await ada.page.getByRole('button', { name: /For which bot/ }).click();
  await ada.page.getByRole('option', { name: 'Support' }).click();
  await button('Open the bot').click();
  await expect.poll(() => ada.page.getByLabel('Voice', { exact: true }).inputValue()).toBe('george');
  await ada.page.getByRole('button', { name: /ElevenLabs.*Speech provider/ }).waitFor();
  await ada.go('/settings/system');
  await ada.page.getByText('Twilio', { exact: true }).waitFor();
  await ada.page
    .getByText(/ElevenLabs/)
    .first()
    .waitFor();
});

it('lets a bot record calls and take turns in its own way', async () => {
  const made = await stage.call('POST /api/v1/bots', { body: { name: 'Listener', system_prompt: 'x' } });
  await ada.go(`/bots/${made.body.id}/voice`);
  const record = ada.page.getByRole('switch', { name: /^Record calls/ });
  await expect.poll(() => record.isChecked()).toBe(false);
  await record.press('Space');
  await ada.page.getByLabel('What callers are told').fill('We record this call.');
  await ada.page.getByLabel('Delete recordings after, in days').fill('14');
  await ada.page.getByRole('button', { name: /When callers pause/ }).click();
  await ada.page.getByRole('option', { name: /Be patient/ }).click();
  await ada.page.getByRole('button', { name: /When callers speak while the bot does/ }).click();
  await ada.page.getByRole('option', { name: /Stop at words/ }).click();
  await ada.page.getByRole('button', { name: /^Save/ }).click();
  await ada.page.getByText('Saved as version 2.').waitFor();
  const { body } = await stage.call(`GET /api/v1/bots/${made.body.id}`);
  expect(JSON.parse(body.settings)).toMatchObject({
    record_calls: true,
    recording_announcement: 'We record this call.',
    recording_retention_days: 14,
    call_patience: 'patient',
    call_interruption: 'words',
  });
});

it('masks what callers enter on the keypad, unless that is switched off', async () => {
  const made = await stage.call('POST /api/v1/bots', { body: { name: 'Payments', system_prompt: 'x' } });
  const settings = async () =>
    JSON.parse((await stage.call(`GET /api/v1/bots/${made.body.id}`)).body.settings) as object;
  const atFirst = await settings();
  const masking = ada.page.getByRole('switch', { name: /^Mask what callers enter on the keypad/ });
  const save = ada.page.getByRole('button', { name: /^Save/ });
  await ada.go(`/bots/${made.body.id}/voice`);
  await expect.poll(() => masking.isChecked()).toBe(true);
  await masking.press('Space');
  await ada.page.getByText('Changed: masking of keypad input off').waitFor();
  await save.click();
  await ada.page.getByText('Saved as version 2.').waitFor();
  expect(await settings()).toEqual({ ...atFirst, keypad_masking: false });

  await ada.page.reload();
  await expect.poll(() => masking.isChecked()).toBe(false);
  await masking.press('Space');
  await ada.page.getByText('Changed: masking of keypad input on').waitFor();
  await save.click();
  await ada.page.getByText('Saved as version 3.').waitFor();
  expect(await settings()).toEqual(atFirst);
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
    await offered(dialog, name);
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

it('shows why a hook is suspended, and lets somebody confirm it', async () => {
  const made = await stage.call('POST /api/v1/bots', { body: { name: 'Notes', system_prompt: 'x' } });
  const ownBot = made.body.id;
  const configuration = { method: 'POST', url: 'https://crm.example.com/notes', approval: 'never' };
  const body = { tool_type: 'http_request', name: 'CRM', description: 'x', configuration };
  const { id } = (await stage.call('POST /api/v1/tools', { body })).body;
  await stage.call(`POST /api/v1/bots/${ownBot}/post-call-hooks`, { body: { tool_configuration_id: id } });
  const asking = { configuration: { ...configuration, approval: 'always' } };
  await stage.call(`PUT /api/v1/tools/${id}`, { body: asking });
  await ada.go(`/bots/${ownBot}/voice`);
  const hooks = ada.page.getByRole('list', { name: 'Hooks' });
  await hooks.getByText('The calls of its tool need approval or change something').waitFor();
  await hooks.getByRole('button', { name: 'Confirm CRM' }).click();
  await hooks.getByText('Suspended').waitFor({ state: 'detached' });
  const listed = (await stage.call(`GET /api/v1/bots/${ownBot}/post-call-hooks`)).body;
  expect(listed.find((hook: { tool_name: string }) => hook.tool_name === 'CRM')).toMatchObject({
    suspended: null,
  });
});

it('leaves out for viewers what they may not do', async () => {
  await makeCall(stage, { botId, status: 'in_progress', endReason: null });
  const eve = await stage.signIn('viewer');
  await eve.go('/voice/calls');
  await eve.page.getByRole('table', { name: 'Calls' }).waitFor();
  expect(await eve.page.getByRole('button', { name: /Call me|End call/ }).count()).toBe(0);
  expect(ada.complaints.filter((text) => !/422/.test(text))).toEqual([]);
});
