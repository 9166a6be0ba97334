import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runSipp } from '../../support/voice/sipp.ts';
import { mulawTone, mulawToneMs } from '../../support/voice/tones.ts';
import { useSip } from './use-sip.ts';

const stage = useSip();

it('answers twenty callers at once', async () => {
  const { transport, exchange } = await stage.open(9);
  const plays = join(stage.folder, 'caller.ulaw');
  await writeFile(plays, mulawTone(600, 1_000));
  const folder = join(stage.folder, 'callers');
  const callers = runSipp({
    folder,
    port: transport.port,
    to: '+4930100',
    callers: 20,
    plays,
    // Most of it may be lost on a busy machine.
    talkMs: 8_000,
  });
  const spokenTo = new Set<string>();
  const speakToNew = () => {
    for (const [callId, { line }] of exchange.lines) {
      if (!spokenTo.has(callId)) line.send(mulawTone(900, 1_000));
      spokenTo.add(callId);
    }
    return spokenTo.size;
  };
  await expect.poll(speakToNew).toBe(20);
  const { exitCode, output } = await callers;
  expect(exitCode, output).toBe(0);
  for (const [callId, { line, audio }] of exchange.lines) {
    expect(await exchange.endOf(callId)).toEqual({ cause: 'remote_hangup' });
    expect(line.playedMs).toBe(1_000);
    expect(mulawToneMs(Buffer.concat(audio), 600)).toBeGreaterThan(1_000);
  }
  expect(new Set(exchange.incomingCalls.map(({ networkId }) => networkId)).size).toBe(20);
});
