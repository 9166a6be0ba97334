import { expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { welcome } from './welcome.ts';

const app = {
  firstKey: undefined,
  setUpLink: undefined,
  models: { configured: [], defaultModelId: 'builtin/extractive' },
};
const lines = (environment: Record<string, string>) =>
  welcome({ config: readConfig(environment), port: 3000, app }).split('\n');

it.each([
  [{}, 'no telephone network; set SVC_VOICE_TRANSPORT to twilio or sip for calls'],
  [
    { SVC_VOICE_TRANSPORT: 'sip', SIP_TRUNK_URI: 'sip:trunk.example', SIP_LISTEN: '127.0.0.1:5070' },
    'SIP, on UDP port 5070',
  ],
  [
    {
      SVC_VOICE_TRANSPORT: 'twilio',
      SVC_PUBLIC_URL: 'https://svc.example',
      TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
      TWILIO_AUTH_TOKEN: 'token',
    },
    'Twilio',
  ],
])('tells how calls are made, with %j', (environment, told) => {
  expect(lines(environment)).toContain(`  Voice      ${told}`);
});
