import { expect, test } from 'vitest';
import { createOutboundCallService, type OutboundCallDependencies } from './outbound-calls.service.ts';

test('no call is placed while recognition is far behind', async () => {
  const listener = { provider: 'local', lagMs: 4_000 };
  const opened: string[] = [];
  const calls = createOutboundCallService({
    bots: { getRow: async () => ({ id: 'b', status: 'active', settings: { outbound_calls_enabled: true } }) },
    numbers: { findPrimary: async () => ({ phoneNumber: '+4930100', ttsVoice: null }) },
    dialing: { check: async () => ({ dialed: '+4930200' }) },
    transport: { name: 'sip', place: async () => undefined },
    chooseSpeech: () => ({ listener }),
    openCall: async ({ to }: { to: string }) => {
      opened.push(to);
      return { id: 'c', maxSeconds: 60, endedAt: null };
    },
  } as unknown as OutboundCallDependencies);
  const place = () => calls.place('w', { bot_id: 'b', to_number: '+4930200' }, async () => undefined);
  await place();
  listener.lagMs = 6_000;
  await expect(place()).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 10 });
  expect(opened).toEqual(['+4930200']);
});
