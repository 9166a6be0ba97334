import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OutsideServer, startOutsideServer } from '../support/outside-server.ts';
import { type ConsoleStage, type Desk, devices, openConsole } from './support/console.ts';

let stage: ConsoleStage;
let shop: OutsideServer;
let desk: Desk;

beforeAll(async () => {
  stage = await openConsole({ environment: { SVC_EGRESS_ALLOW: '127.0.0.1' } });
  shop = await startOutsideServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ order: { state: 'sent', place: 'Cologne' } }));
  });
  desk = await stage.signIn('operator');
});
afterAll(async () => {
  shop.close();
  await stage.stop();
});

const violations = () => desk.complaints.filter((text) => text.startsWith('policy'));

describe('knowledge', () => {
  it('is added by dropping files, one ready beside one that fails, and can be deleted and restored', async () => {
    const { page } = desk;
    await desk.go('/knowledge/search');
    await page.getByText('There is nothing to find yet').waitFor();
    await page.getByRole('link', { name: 'Add a source' }).click();
    const files = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      const add = (name: string, text: string) => transfer.items.add(new File([text], name));
      add('Returns.md', '# Returns policy\n\nOpened headphones cannot be sent back.');
      add('prices.pdf', '%PDF-1.7 and nothing else');
      add('photo.png', 'x');
      return transfer;
    });
    await page.dispatchEvent('main', 'dragover', { dataTransfer: files });
    await page.getByText('Drop the files to add them').waitFor();
    await page.dispatchEvent('main', 'drop', { dataTransfer: files });

    await page.getByRole('list', { name: 'Uploads' }).getByText('photo.png').waitFor();
    await page.getByText('Only .txt, .pdf').waitFor();
    const row = (title: string) => page.getByRole('row').filter({ hasText: title });
    await row('Returns.md').getByText('Ready').last().waitFor();
    await row('prices.pdf').getByText('The PDF is damaged').last().waitFor();
    await row('prices.pdf').getByRole('button', { name: 'Replace' }).waitFor();
    await page.getByRole('button', { name: 'Dismiss photo.png' }).click();
    // The same file can be chosen again.
    const chooser = page.getByLabel('A file in place of prices.pdf');
    await chooser.setInputFiles({ name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from('x') });
    await page.getByText('Only .txt, .pdf').waitFor();
    expect(await chooser.inputValue()).toBe('');
    expect(violations()).toEqual([]);

    await page.getByRole('button', { name: 'Actions for Returns.md' }).click();
    await page.getByRole('menuitem', { name: /^Delete/ }).click();
    await page.getByRole('link', { name: 'Deleted (1)' }).click();
    await page.getByRole('heading', { level: 1, name: 'Deleted knowledge' }).waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Nothing is deleted').waitFor();
    await page.getByRole('link', { name: 'All sources' }).click();
    await page.getByRole('link', { name: 'Returns.md' }).click();
    await page.getByText('Opened headphones cannot be sent back.').waitFor();

    await desk.go('/knowledge/search?q=returns');
    const question = page.getByLabel('Question');
    await question.fill('headphones');
    await question.press('Enter');
    await expect.poll(() => desk.place()).toBe('/knowledge/search?q=headphones');
    await page.goBack();
    await expect.poll(() => question.inputValue()).toBe('returns');
  });
});

describe('a tool', () => {
  it('is made by a form, tested, gives the model the value that was clicked, and never shows its secret', async () => {
    const { page } = desk;
    await desk.go('/tools/new?type=http_request');
    await page.getByLabel('Name', { exact: true }).fill('order_status');
    await page.getByLabel('Description').fill('Looks up where an order is.');
    await page.getByLabel('URL').fill(`${shop.url}/orders/{{number}}`);
    await page.getByRole('button', { name: 'Add parameter number' }).click();
    await page.getByRole('button', { name: /Kind/ }).click();
    await page.getByRole('option', { name: 'Bearer' }).click();
    await page.getByLabel('Token').fill('tok_never_shown');
    await page.getByRole('button', { name: 'Add', exact: true }).first().click();

    const panel = page.getByRole('region', { name: 'Try it' });
    await panel.getByLabel('Number').fill('1017');
    await panel.getByRole('button', { name: 'Run' }).click();
    const request = panel.getByRole('region', { name: 'Request' });
    await request.getByText(`${shop.url}/orders/1017`).waitFor();
    expect(await request.textContent()).toContain('authorization: Bearer ***');
    await panel.getByRole('button', { name: /place: "Cologne"/ }).click();
    const path = page.getByLabel('Part of the answer');
    expect(await path.inputValue()).toBe('order.place');

    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('order_status was saved.').waitFor();
    await panel.getByRole('button', { name: 'Run' }).click();
    await panel.getByRole('button', { name: '"Cologne"', exact: true }).waitFor();
    expect(violations()).toEqual([]);

    // What is typed is not lost by a click beside it.
    await page.getByLabel('URL').fill(`${shop.url}/elsewhere`);
    await page.getByRole('link', { name: 'Bots', exact: true }).first().click();
    await page.getByRole('button', { name: 'Stay' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();

    await page.reload();
    await page.getByText(/•••• set/).waitFor();
    expect(await page.content()).not.toContain('tok_never_shown');
    await page.getByRole('group', { name: 'Token' }).getByRole('button', { name: 'Replace' }).click();
    expect(await page.getByLabel('Token').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText(/•••• set/).waitFor();

    const [id = ''] = /[0-9a-f-]{36}/.exec(desk.place()) ?? [];
    await stage.call(`DELETE /api/v1/tools/${id}`);
    await page.getByText('This tool does not exist, or no longer').waitFor();
  });

  it('asks first for what everybody needs, and leads to what was refused', async () => {
    const { page } = desk;
    await page.setViewportSize({ width: 1280, height: 500 });
    await desk.go('/tools/new?type=http_request');
    const add = page.getByRole('button', { name: 'Add', exact: true }).first();
    const focused = () =>
      page.evaluate(() => {
        const { id, ownerDocument } = document.activeElement as HTMLElement;
        return ownerDocument.querySelector(`label[for="${id}"]`)?.textContent;
      });
    const fields = await page
      .locator('[data-field]')
      .evaluateAll((all) =>
        all.filter((one) => one.checkVisibility()).map((one) => (one as HTMLElement).dataset['field']),
      );
    expect(fields).toEqual(['method', 'url', 'parameters', 'auth_type', 'approval', 'approval_title']);
    await page.getByLabel('Name', { exact: true }).fill('order_status');
    await page.getByLabel('What it would do, in a sentence').focus();
    await add.click();
    await expect.poll(focused).toBe('URL');

    // What only the service finds, in a field that was folded.
    await page.getByLabel('URL').fill(`${shop.url}/orders`);
    await page.getByText('More options').click();
    const headers = page.getByRole('group', { name: 'Headers' });
    await headers.getByRole('button', { name: 'Add' }).click();
    await headers.getByLabel('Headers: name 1').fill('x-order');
    await headers.getByLabel('Headers: value 1').fill('{{order_id}}');
    await page.getByText('More options').click();
    await headers.waitFor({ state: 'hidden' });
    await page.getByLabel('Name', { exact: true }).focus();
    await add.click();
    await headers.getByText(/Names \{\{order_id\}\}, which is not one of the parameters/).waitFor();
    await expect.poll(() => headers.evaluate((group) => group.contains(document.activeElement))).toBe(true);
    await expect.poll(async () => ((await headers.boundingBox())?.y ?? 1_000) < 500).toBe(true);

    await page.getByRole('button', { name: 'Add parameter order_id' }).click();
    expect(await headers.evaluate((group) => group.contains(document.activeElement))).toBe(true);
    await headers.getByText(/Names/).waitFor({ state: 'detached' });
    expect(await page.getByPlaceholder('name', { exact: true }).first().inputValue()).toBe('order_id');
    await add.click();
    await page.getByText('order_status was added.').waitFor();
    await page.setViewportSize(devices.desktop);

    // It goes straight on to a bot, which keeps its other tools.
    const bot = (await stage.call('POST /api/v1/bots', { body: { name: 'Support', system_prompt: 'x' } }))
      .body;
    const assignments = [{ tool_type: 'calculator' }];
    await stage.call('POST /api/v1/tools/assign', { body: { bot_id: bot.id, assignments } });
    await page.getByText('no bot').waitFor();
    await page.getByRole('button', { name: 'Add to a bot…' }).click();
    await page.getByRole('menuitem', { name: 'Support' }).click();
    await page.getByText('Support can call order_status now.').waitFor();
    await page.locator('main').getByRole('link', { name: 'Support' }).waitFor();
    const tools = (await stage.call(`GET /api/v1/tools/bot?bot_id=${bot.id}`)).body;
    expect(tools.map((one: { tool: { name: string } }) => one.tool.name)).toEqual([
      'Calculator',
      'order_status',
    ]);
    await page.getByRole('button', { name: 'Open the bot' }).click();
    await expect.poll(() => desk.place()).toBe(`/bots/${bot.id}/tools`);
    expect(violations()).toEqual([]);
  });

  it('has a body of JSON that stays as it is typed', async () => {
    const { page } = desk;
    await desk.go('/tools/new?type=http_request');
    await page.getByRole('button', { name: /Method/ }).click();
    await page.getByRole('option', { name: 'POST' }).click();
    const editor = page.locator('.cm-content').first();
    await editor.click();
    await page.keyboard.type('{"price": 1.05, "tags": []}');
    expect(await editor.textContent()).toBe('{"price": 1.05, "tags": []}');
  });

  it('is imported from a document that is too long for a field', async () => {
    const { page } = desk;
    await desk.go('/tools/import');
    const operation = { summary: 'Reads a thing', responses: { 200: { description: 'ok' } } };
    const paths = Array.from({ length: 60 }, (_, index) => [`/things/${index}`, { get: operation }]);
    const document = JSON.stringify({
      openapi: '3.0.3',
      info: { title: 'Shop', version: '1', description: 'x'.repeat(200_001) },
      servers: [{ url: shop.url }],
      paths: Object.fromEntries(paths),
    });
    await page.getByLabel('Or paste it').evaluate((field, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text', pasted);
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, document);
    await page.getByLabel('Find among 60 operations').waitFor();
  });

  it('keeps a parameter while the name of another one passes through its name', async () => {
    const { page } = desk;
    await desk.go('/tools/new?type=http_request');
    const names = page.getByPlaceholder('name', { exact: true });
    for (const name of ['order', 'order_id']) {
      const before = await names.count();
      await page.getByRole('button', { name: 'Add a parameter' }).click();
      await names.nth(before).pressSequentially(name);
    }
    const shown = await names.evaluateAll((fields) =>
      fields.map((field) => (field as HTMLInputElement).value),
    );
    expect(shown).toEqual(['order', 'order_id']);
  });
});
