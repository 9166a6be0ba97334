import { parseArgs } from 'node:util';
import { tokens, usage } from './script.ts';
import { startScriptedModel } from './server.ts';

/** The scripted model as a separate process for load tests; prints its addresses as one line of JSON. */
const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    tokens: { type: 'string', default: '60' },
    'delay-ms': { type: 'string', default: '0' },
  },
});
const count = Number(values.tokens);
const model = await startScriptedModel({ port: Number(values.port), record: false });
model.respondWith([tokens(count, Number(values['delay-ms'])), usage(20, count)]);
const addresses = {
  openai: model.url('openai'),
  anthropic: model.url('anthropic'),
  google: model.url('google'),
};
process.stdout.write(`${JSON.stringify(addresses)}\n`);
process.once('SIGTERM', () => void model.close());
