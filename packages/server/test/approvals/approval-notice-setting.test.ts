import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../../src/database/drizzle.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service.stop());

const save = (notice: object) =>
  service.call('POST /api/v1/bots', {
    body: { name: 'x', system_prompt: 'x', settings: { approval_notice: notice } },
  });
const pathsOf = (body: { details: { path: string }[] }) => body.details.map(({ path }) => path);

it('takes a webhook; mails need a mail server', async () => {
  expect(await save({ webhook_url: 'https://example.com/hook' })).toMatchObject({ status: 201 });
  const refused = await save({ email: 'boss@example.com' });
  expect(refused).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
  expect(pathsOf(refused.body)).toEqual(['approval_notice.email']);
  expect(refused.body.message).toContain('SVC_SMTP_URL');
});

it.each([
  [{}, 'approval_notice'],
  [{ webhook_url: 'ftp://x' }, 'approval_notice.webhook_url'],
  [{ webhook_url: 'http://10.0.0.1/hook' }, 'approval_notice.webhook_url'],
  [{ email: 'nobody' }, 'approval_notice.email'],
  [{ email: 'a@b.example\r\nBcc: c@d.example' }, 'approval_notice.email'],
  [{ phone: '1' }, 'approval_notice.phone'],
])('refuses %j', async (notice, path) => {
  const body = { name: 'x', system_prompt: 'x', approval_notice: notice };
  const refused = await service.call('POST /api/v1/bots', { body });
  expect(refused.status).toBe(400);
  expect(pathsOf(refused.body)).toContain(path);
  expect(refused.body.message).not.toContain('SVC_SMTP_URL');
});

it.each([
  'http://127.0.0.1:8080/hook',
  'http://2130706433/',
  'http://[::1]/',
  'http://[::ffff:10.0.0.1]/',
  'https://169.254.169.254/latest',
  'http://168.63.129.16/',
  'http://localhost/hook',
  'http://printer.local/',
  'http://db.internal/',
  'http://intranet/hook',
])('refuses %s for a webhook, and names the field', async (url) => {
  const created = await service.call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x' } });
  const fields = {
    'output_config.webhook_url': { output_config: { format: 'text', webhook_url: url } },
    'approval_notice.webhook_url': { approval_notice: { webhook_url: url } },
  };
  for (const [path, field] of Object.entries(fields)) {
    const writes = [
      service.call('POST /api/v1/bots', { body: { name: 'x', system_prompt: 'x', ...field } }),
      service.call(`PUT /api/v1/bots/${created.body.id}`, { body: field }),
    ];
    for (const refused of await Promise.all(writes)) {
      expect(refused).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
      expect(pathsOf(refused.body)).toEqual([path]);
      expect(refused.body.message).toContain('not a public address');
    }
  }
});

it('lets a bot change anything but webhooks that are no longer allowed', async () => {
  const [output_config, approval_notice] = [
    { format: 'text', webhook_url: 'https://example.com/done' },
    { webhook_url: 'https://example.com/hook' },
  ];
  const body = { name: 'x', system_prompt: 'x', output_config, approval_notice };
  const { id } = (await service.call('POST /api/v1/bots', { body })).body;
  // As saved while SVC_EGRESS_ALLOW included more.
  await service.database.acrossWorkspaces.execute(sql`update bots set
    output_config = replace(output_config::text, 'example.com', '10.0.0.1')::json,
    settings = replace(settings::text, 'example.com', '10.0.0.1')::json where id = ${id}`);
  const put = (change: object) => service.call(`PUT /api/v1/bots/${id}`, { body: change });
  expect(await put({ name: 'y', temperature: 0.5 })).toMatchObject({ status: 200 });
  const { body: read } = await service.call(`GET /api/v1/bots/${id}`);
  expect(read.settings).toContain('10.0.0.1/hook');
  expect(await put(read)).toMatchObject({ status: 200 });
  for (const change of [
    { approval_notice: { webhook_url: 'https://10.0.0.2/hook' } },
    { output_config: { format: 'text', webhook_url: 'https://10.0.0.2/done' } },
  ]) {
    expect((await put(change)).status).toBe(400);
  }
});

it('accepts an unknown host name, without resolving it', async () => {
  expect(await save({ webhook_url: 'https://not-there-yet.invalid/hook' })).toMatchObject({ status: 201 });
});
