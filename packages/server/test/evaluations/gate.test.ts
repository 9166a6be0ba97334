import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hang, type Script, text } from '../scripted-model/script.ts';
import type { ScriptedRequest } from '../scripted-model/server.ts';
import { askedBy, eventually } from '../support/chat.ts';
import { judged, playBot } from '../support/evaluating.ts';
import { useEvaluations } from './use-evaluations.ts';

const setup = useEvaluations();
let botId: string;
const { chat, scenario, evaluate } = setup;
beforeEach(async () => {
  botId = await chat.bot();
});

const list = () => setup.service.call(`GET /api/v1/bots/${botId}/evaluations`);

describe('the gate of the guide', () => {
  let script: string;
  beforeAll(async () => {
    const guide = await readFile(new URL('../../../../docs/evaluations.md', import.meta.url), 'utf8');
    script = /```js\n(.*?)```/s.exec(guide)?.[1] ?? '';
  });

  /** Runs the script exactly as the guide has it. */
  async function gate(bot = botId): Promise<{ code: number; output: string }> {
    const environment = { SVC_URL: setup.service.url, SVC_API_KEY: setup.service.key, BOT: bot };
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { env: environment });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    const [code] = (await once(child, 'close')) as [number];
    return { code, output };
  }

  it('opens only if every scenario passed', async () => {
    expect(await gate(randomUUID())).toMatchObject({ code: 1, output: expect.stringContaining('404') });
    expect(await gate()).toMatchObject({ code: 1, output: expect.stringContaining('no scenarios') });
    await scenario(botId, { name: 'Good', turns: ['good'], expected_facts: ['x'] });
    await scenario(botId, { name: 'Other', turns: ['other'], expected_facts: ['x'] });
    expect(await gate()).toMatchObject({ code: 0, output: expect.stringContaining('2 of 2 passed') });

    const badly = (decide: (request: ScriptedRequest) => Script) =>
      playBot(setup.scripted, {
        judge: (request) => {
          const isOther = JSON.stringify(askedBy(request)).includes('other');
          return isOther ? decide(request) : judged({ number: 1, holds: true });
        },
      });
    badly(() => judged({ number: 1, holds: false, explanation: 'Not said.' }));
    expect(await gate()).toMatchObject({
      code: 1,
      output: expect.stringMatching(/failed \(newly_failing\): Other/),
    });
    // It failed before too, which does not excuse it.
    expect(await gate()).toMatchObject({ code: 1, output: expect.stringContaining('still_failing') });
    badly(() => [text('no judgement')]);
    expect(await gate()).toMatchObject({ code: 1, output: expect.stringContaining('error (') });
  });

  it('stays shut when the evaluation is stopped', async () => {
    await scenario(botId, { name: 'Slow', turns: ['slow'] });
    playBot(setup.scripted, { reply: () => [hang] });
    const running = gate();
    await eventually(async () => (await list()).body.length).toBe(1);
    const [{ id }] = (await list()).body;
    await setup.service.call(`POST /api/v1/bots/${botId}/evaluations/${id}/stop`);
    expect(await running).toMatchObject({ code: 1, output: expect.stringContaining('stopped: 0 of 1') });
  });
});

it('reading a bot includes its versions, scenarios and evaluations; changing them needs more', async () => {
  const scenarioId = await scenario(botId, {});
  const { id } = await evaluate(botId);
  const reader = await setup.service.makeKey({ abilities: ['bots:read'] });
  const writer = await setup.service.makeKey({ abilities: ['bots:write'] });
  const bot = `/api/v1/bots/${botId}`;
  const reads = ['versions', 'versions/1', 'scenarios', 'evaluations', `evaluations/${id}`];
  for (const path of reads.map((rest) => `GET ${bot}/${rest}`)) {
    expect.soft((await setup.service.call(path, { key: reader })).status, path).toBe(200);
    expect.soft((await setup.service.call(path, { key: writer })).status, path).toBe(403);
  }
  const body = { name: 'x', turns: ['x'] };
  const writes: [string, object][] = [
    [`POST ${bot}/versions/1/restore`, {}],
    [`POST ${bot}/scenarios`, { body }],
    [`PUT ${bot}/scenarios/${scenarioId}`, { body }],
    [`DELETE ${bot}/scenarios/${scenarioId}`, {}],
    [`POST ${bot}/evaluations`, {}],
    [`POST ${bot}/evaluations/${id}/stop`, {}],
  ];
  for (const [path, options] of writes) {
    const answer = await setup.service.call(path, { ...options, key: reader });
    expect.soft(answer, path).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  }
});
