import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openPage } from '../use-widget.ts';
import { type ChatStage, startChatStage, type Visit } from './chat-stage.ts';

let stage: ChatStage;
const visits: Visit[] = [];
beforeAll(async () => {
  stage = await startChatStage();
});
afterAll(() => stage?.close());
afterEach(async () => {
  stage.model.autoplay();
  for (const { page } of visits.splice(0)) await page.close();
});

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const mug = { name: 'mug.png', mimeType: 'image/png', buffer: png };
const invoice = { name: 'invoice.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') };

async function visit(attachmentsEnabled = true, host?: string) {
  const key = await stage.createBot();
  const look = { bot_id: key.bot_id, attachments_enabled: attachmentsEnabled };
  await stage.service.call('PUT /api/v1/widgets/customization', { body: look });
  const opened = await stage.visit(key, host ? { host } : {});
  visits.push(opened);
  const widget = opened.page.locator('svc-widget');
  const choose = async (...files: (typeof mug)[]) => {
    const choosing = opened.page.waitForEvent('filechooser');
    await opened.button('Attach images or PDFs').click();
    await (await choosing).setFiles(files);
  };
  return { ...opened, key, widget, choose, toSend: widget.getByRole('list', { name: 'Files to send' }) };
}

const sentTo = async (botId: string) => {
  const id = await stage.conversationOf(botId);
  return (await stage.service.call(`GET /api/v1/conversations/${id}`)).body.messages[1];
};

it('shows a file by its name alone where the page does not allow its picture', async () => {
  const { page, toSend, choose } = await visit();
  await page.evaluate((content) => {
    document.head.append(
      Object.assign(document.createElement('meta'), { httpEquiv: 'Content-Security-Policy', content }),
    );
  }, `img-src ${stage.service.url}`);
  await choose(mug);
  await toSend.getByRole('button', { name: 'Remove mug.png' }).waitFor();
  expect(await toSend.locator('img').count()).toBe(0);
});

it('sends images and PDFs, which the model gets and the visitor finds again', async () => {
  const { page, key, widget, choose, toSend, write, open } = await visit();
  const asked = new Promise<string>((resolve) => {
    stage.model.autoplay((reply) => {
      resolve(JSON.stringify(reply.body));
      reply.write('I am sorry.');
      reply.finish();
    });
  });
  await choose(mug, invoice);
  await toSend.getByRole('button', { name: 'Remove invoice.pdf' }).waitFor();
  // The picture is shown before it is sent, without asking the service.
  const thumbnail = toSend.locator('img');
  await expect.poll(() => thumbnail.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  expect(await thumbnail.count()).toBe(1);
  await widget.locator('.uploading').first().waitFor({ state: 'detached' });
  await expect.poll(() => widget.locator('.uploading').count()).toBe(0);
  await write('It is broken');
  await widget.locator('.bubble').getByText('I am sorry.').waitFor();
  expect(await asked).toContain(png.toString('base64'));
  expect(await asked).toContain('[Attached document \\"invoice.pdf');
  const files = [
    { name: 'mug.png', media_type: 'image/png' },
    { name: 'invoice.pdf', media_type: 'application/pdf' },
  ];
  expect(await sentTo(key.bot_id)).toMatchObject({ content: 'It is broken', attachments: files });
  expect(await toSend.count()).toBe(0);

  await page.reload();
  await open();
  const picture = widget.locator('.sent img');
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
  // A picture becomes large, and is saved from there.
  const show = widget.getByRole('button', { name: 'Show mug.png' });
  const large = widget.getByRole('dialog', { name: 'mug.png' });
  const focused = () =>
    page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.getAttribute('aria-label'));
  await show.click();
  await large.getByRole('img', { name: 'mug.png' }).waitFor();
  const saving = page.waitForEvent('download');
  await large.getByRole('button', { name: 'Save mug.png' }).click();
  expect((await saving).suggestedFilename()).toBe('mug.png');
  await page.keyboard.press('Escape');
  await large.waitFor({ state: 'detached' });
  expect(await widget.getByRole('dialog', { name: 'Shop help' }).isVisible()).toBe(true);
  expect(await focused()).toBe('Show mug.png');
  await show.click();
  await large.getByRole('button', { name: 'Close' }).click();
  await large.waitFor({ state: 'detached' });
  expect(page.context().pages()).toHaveLength(1);
  const downloading = page.waitForEvent('download');
  await widget.getByRole('button', { name: 'Save invoice.pdf' }).click();
  expect((await downloading).suggestedFilename()).toBe('invoice.pdf');
});

it('sends a file without a text, and one that was pasted', async () => {
  const { key, widget, button, choose, toSend } = await visit();
  await choose(invoice);
  const send = button('Send');
  await expect.poll(() => send.getAttribute('aria-disabled')).toBe('false');
  await widget.getByLabel('Your message').evaluate((field) => {
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File(['%PDF-1.7'], 'pasted.pdf', { type: 'application/pdf' }));
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  });
  await toSend.getByText('pasted.pdf').waitFor();
  await expect.poll(() => send.getAttribute('aria-disabled')).toBe('false');
  await send.click();
  await expect
    .poll(() =>
      stage.service.call(`GET /api/v1/conversations?bot_id=${key.bot_id}`).then(({ body }) => body.length),
    )
    .toBe(1);
  expect(await sentTo(key.bot_id)).toMatchObject({
    content: 'invoice.pdf, pasted.pdf',
    attachments: [{ name: 'invoice.pdf' }, { name: 'pasted.pdf' }],
  });
});

it('says why a file is not taken, and forgets one that is removed', async () => {
  const { widget, choose, toSend, button } = await visit();
  const problem = widget.getByRole('alert');
  await choose({ name: 'a.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') });
  await problem.getByText('Only images and PDFs can be sent.').waitFor();
  await choose({ ...invoice, buffer: Buffer.alloc(5_242_881, '%PDF-') });
  await problem.getByText('Files can have at most 5 MB.').waitFor();
  // The service looks at what it is.
  await choose({ ...invoice, buffer: Buffer.from('no PDF') });
  await problem.getByText('The file could not be uploaded.').waitFor();
  await choose(...Array.from({ length: 6 }, (_, index) => ({ ...invoice, name: `${index}.pdf` })));
  await problem.getByText('At most 5 files can be sent with a message.').waitFor();
  await expect.poll(() => toSend.getByRole('listitem').count()).toBe(5);
  for (let index = 0; index < 5; index += 1) await button(`Remove ${index}.pdf`).click();
  await expect.poll(() => toSend.count()).toBe(0);
  expect(await widget.getByLabel('Your message').evaluate((field) => field.matches(':focus'))).toBe(true);
  expect(await button('Send').getAttribute('aria-disabled')).toBe('true');
});

it('makes a large photograph smaller before it is uploaded', async () => {
  const { page, key, widget, button, choose } = await visit();
  const data = await page.evaluate(() => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [3_000, 1_000];
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    const noise = context.createImageData(3_000, 1_000);
    for (let at = 0; at < noise.data.length; at += 4) {
      noise.data[at] = (at * 7_919) % 251;
      noise.data[at + 1] = (at * 104_729) % 241;
      noise.data[at + 3] = 255;
    }
    context.putImageData(noise, 0, 0);
    return canvas.toDataURL('image/png').split(',')[1] ?? '';
  });
  const buffer = Buffer.concat([Buffer.from(data, 'base64'), Buffer.alloc(1_000_000)]);
  await choose({ name: 'photo.png', mimeType: 'image/png', buffer });
  await expect.poll(() => button('Send').getAttribute('aria-disabled')).toBe('false');
  await button('Send').click();
  const picture = widget.locator('.sent img');
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(2_048);
  const [sent] = (await sentTo(key.bot_id)).attachments;
  expect(sent).toMatchObject({ name: 'photo.jpg', media_type: 'image/jpeg' });
  expect(sent.size).toBeLessThan(buffer.length);
});

it('takes no files where the owner has not switched that on', async () => {
  const { key, button } = await visit(false);
  expect(await button('Attach images or PDFs').count()).toBe(0);
  const page = openPage(stage.service, key.api_key, 'https://visit-1.shop.localhost');
  const { token } = await page.issueToken();
  const body = new FormData();
  body.append('files', new Blob([new Uint8Array(png)]), 'mug.png');
  const refused = await page.call('POST /api/widget/attachments', { token, body });
  expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
});
