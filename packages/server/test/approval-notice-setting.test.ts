import { afterAll, beforeAll, expect, it } from 'vitest';
import { sql } from '../src/database/drizzle.ts';
import { startTestApp, type TestApp } from './support/test-app.ts';

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

it('takes a name that nobody knows, without asking for it', async () => {
  expect(await save({ webhook_url: 'https://not-there-yet.invalid/hook' })).toMatchObject({ status: 201 });
});

it('leaves a bot changeable that has a private webhook from the time when it was allowed', async () => {
  const { id } = (await save({ webhook_url: 'https://example.com/hook' })).body;
  const url = 'http://10.0.0.1/hook';
  const kept = { approval_notice: { webhook_url: url }, output_config: { format: 'text', webhook_url: url } };
  await service.database.query.execute(
    sql`update bots set settings = settings || ${JSON.stringify({ approval_notice: kept.approval_notice })}::jsonb,
      output_config = ${JSON.stringify(kept.output_config)}::jsonb where id = ${id}`,
  );
  for (const body of [{ name: 'renamed' }, { name: 'renamed', ...kept }]) {
    expect(await service.call(`PUT /api/v1/bots/${id}`, { body })).toMatchObject({ status: 200 });
  }
  const other = { approval_notice: { webhook_url: 'http://10.0.0.2/hook' } };
  expect(await service.call(`PUT /api/v1/bots/${id}`, { body: other })).toMatchObject({ status: 400 });
});
