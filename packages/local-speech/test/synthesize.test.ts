import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFull, sampleOf } from '../../server/test/support/sample.ts';
import { findInstalledSpeech } from '../src/installed.ts';
import { LocalSpeechFailed, SpeechNotInstalled } from '../src/local-speech.ts';
import { synthesize } from '../src/synthesize.ts';
import { createSynthesizer } from '../src/synthesizer.ts';
import { trimSilence } from '../src/trim-silence.ts';
import { phrases } from './phrases.ts';

/** Far longer than a busy machine takes. */
const patienceMs = 240_000;

function isProcessRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // There is no such process: it is a child of ours, so we may signal it.
    return false;
  }
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-synthesize-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A program that writes its process id and then never speaks. */
const silentProgram = (file: string) => ({
  path: '/bin/sh',
  parameters: ['-c', `echo $$ > "$0" && mv "$0" "$0.pid" && exec sleep 600`, file],
  text: 'hello',
});

async function pidIn(file: string): Promise<number> {
  await expect.poll(() => existsSync(`${file}.pid`)).toBe(true);
  return Number(await readFile(`${file}.pid`, 'utf8'));
}

describe('a program that speaks', () => {
  it('is ended when the sentence is aborted', async () => {
    const file = join(folder, 'aborted');
    const abort = new AbortController();
    const spoken = synthesize({ ...silentProgram(file), signal: abort.signal, timeoutMs: patienceMs });
    const pid = await pidIn(file);
    expect(isProcessRunning(pid)).toBe(true);
    abort.abort(new Error('barge-in'));
    await expect(spoken).rejects.toThrow('barge-in');
    expect(isProcessRunning(pid)).toBe(false);
  });

  it('is ended when it takes too long', async () => {
    const signal = AbortSignal.timeout(patienceMs);
    const spoken = synthesize({ ...silentProgram(join(folder, 'slow')), signal, timeoutMs: 50 });
    await expect(spoken).rejects.toThrow(/no answer within 50 ms/);
  });

  it.each([
    ['does not exist', '/nowhere/flite', []],
    ['fails', '/bin/sh', ['-c', 'echo no voices >&2; exit 3']],
    ['writes something else', '/bin/sh', ['-c', 'echo hello']],
  ])('that %s is a failure of speech', async (_what, path, parameters) => {
    const signal = AbortSignal.timeout(patienceMs);
    const spoken = synthesize({ path, parameters, text: 'hello', signal, timeoutMs: patienceMs });
    await expect(spoken).rejects.toThrow(LocalSpeechFailed);
  });

  it('sees nothing of our environment', async () => {
    expect(process.env.VITEST).toBe('true');
    const parameters = ['-c', 'env >&2; exit 1'];
    const signal = AbortSignal.timeout(patienceMs);
    const spoken = synthesize({ path: '/bin/sh', parameters, text: 'x', signal, timeoutMs: patienceMs });
    await expect(spoken).rejects.toThrow(/LC_ALL=/);
    await expect(spoken).rejects.not.toThrow(/VITEST/);
  });
});

describe('what is installed', () => {
  it('says what is missing and how to get it', async () => {
    const found = findInstalledSpeech({ programFolders: [folder], modelFolder: folder });
    expect(found).toMatchObject({ speaks: false, listens: false });
    expect(found.why).toMatch(/flite.*listens.*npm run voice:install/);
    const say = createSynthesizer({ ...found, runFairly: (_group, _signal, work) => work() });
    const sentence = { text: 'hello', sampleRate: 8_000, speaker: 'one' };
    const saying = say(sentence, () => undefined, AbortSignal.timeout(patienceMs));
    await expect(saying).rejects.toThrow(SpeechNotInstalled);
  });
});

describe('the voices that are installed', () => {
  const { programs } = findInstalledSpeech({ modelFolder: '/nowhere' });
  const voices = programs.flatMap((program) => program.voices.map(({ id }) => ({ program, id })));
  // The end of a sentence is one that programs expect.
  const sample = sampleOf(
    phrases.filter((phrase) => /[^.!?]$/.test(phrase)),
    100,
  );

  it.each(voices)('speak the last word of a phrase: $program.name $id', async ({ program, id }) => {
    const parameters = program.parameters(id);
    const lengthOf = async (text: string) => {
      const limits = { signal: AbortSignal.timeout(patienceMs), timeoutMs: patienceMs };
      const { samples, sampleRate } = await synthesize({ path: program.path, parameters, text, ...limits });
      return trimSilence(samples, sampleRate).length;
    };
    const chosen = isFull ? phrases : sample;
    for (const phrase of chosen) {
      // A program that speaks a word only when it knows what follows would say more with a line break after it.
      const whole = await lengthOf(`${phrase}\n`);
      expect((await lengthOf(phrase)) / whole, phrase).toBeGreaterThan(0.95);
    }
  });
});
