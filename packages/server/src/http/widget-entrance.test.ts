import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { AppError } from '../lib/app-error.ts';
import { createWidgetKeyCheck } from './widget-entrance.ts';

/** Whether a page of the origin may read that its request failed so. */
async function isReadable(error: Error, origin: string): Promise<boolean> {
  let isAllowed = false;
  const check = createWidgetKeyCheck({
    async enter() {
      throw error;
    },
    onChanged: () => () => undefined,
  });
  const request = { headers: { origin }, query: { key: 'svc_x' } } as unknown as FastifyRequest;
  const allow = () => {
    isAllowed = true;
  };
  await expect(check(request, allow).authenticate('svc_x')).rejects.toBe(error);
  return isAllowed;
}

const page = 'https://shop.example.com';

it('lets pages read that keys cannot be looked up, so that they do not take it for a refusal', async () => {
  const outage = new Error('connect ECONNREFUSED');
  expect(await isReadable(outage, page)).toBe(true);
  expect(await isReadable(outage, 'null')).toBe(false);
});

it('lets pages of the key read what is wrong with the bot, and no others', async () => {
  expect(await isReadable(new AppError('BOT_INACTIVE'), page)).toBe(true);
  expect(await isReadable(new AppError('FORBIDDEN'), page)).toBe(false);
  expect(await isReadable(new AppError('UNAUTHORIZED'), page)).toBe(false);
});
