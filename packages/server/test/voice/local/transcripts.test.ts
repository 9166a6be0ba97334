import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { modelFiles } from '@svc/local-speech/model-files';
import { createRecogniser } from '@svc/local-speech/recogniser';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createActivityDetection } from '../../../src/voice/activity/activity-detection.ts';
import { silence } from '../../../src/voice/audio/format.ts';
import { encodeAudio } from '../../../src/voice/audio/line-audio.ts';
import { createLocalSpeechToText, recognitionQueue } from '../../../src/voice/speech/local/local-speech.ts';
import { listening } from '../speech/support.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-transcripts-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A model that understands these texts, one recording after the other, whatever it is sent. */
async function startRecogniser(texts: string[]) {
  const file = join(folder, `${texts.length}-${texts[0] ?? 'nothing'}.mjs`);
  const answer = `process.send({ job, text: texts.shift() ?? '' })`;
  await writeFile(
    file,
    `const texts = ${JSON.stringify(texts)}; process.on('message', ({ job }) => job && ${answer});`,
  );
  const runFairly = recognitionQueue();
  return createRecogniser({ models: modelFiles(folder), runFairly, program: pathToFileURL(file) });
}

const format = 'mulaw-8000';
const quiet = (milliseconds: number) => silence(format, milliseconds);
const loud = (milliseconds: number) =>
  encodeAudio(
    format,
    Int16Array.from({ length: milliseconds * 8 }, (_value, index) => ((index * 7_919) % 16_000) - 8_000),
  );

async function listenWith(texts: string[]) {
  const recogniser = await startRecogniser(texts);
  const speechToText = createLocalSpeechToText({ recogniser, activity: createActivityDetection() });
  return { recogniser, listen: () => listening(speechToText, { format }) };
}

it('takes back what it understood of a sound that turns out to be none', async () => {
  const { recogniser, listen } = await listenWith(['you', '', 'Hello there.', '']);
  const { stream, heard } = listen();
  stream.push(Buffer.concat([quiet(320), loud(320), quiet(128)]));
  await expect.poll(() => heard).toEqual(['partial you']);
  stream.push(Buffer.concat([loud(96), quiet(640)]));
  await expect.poll(() => heard).toEqual(['partial you', 'partial ']);
  heard.length = 0;
  // Nothing is taken back where nothing was shown.
  stream.push(Buffer.concat([loud(320), quiet(640), loud(320), quiet(640)]));
  await expect.poll(() => stream.isLate).toBe(false);
  expect(heard).toEqual(['final Hello there.']);
  stream.close();
  recogniser.stop();
});

it('keeps the best of what it understood of a sentence if it finds nothing in the whole', async () => {
  const { recogniser, listen } = await listenWith(['The lamp is broken.', 'The', '']);
  const { stream, heard } = listen();
  stream.push(Buffer.concat([quiet(320), loud(320), quiet(128)]));
  await expect.poll(() => heard.at(-1)).toBe('partial The lamp is broken.');
  stream.push(Buffer.concat([loud(96), quiet(128)]));
  await expect.poll(() => heard.at(-1)).toBe('partial The');
  stream.push(Buffer.concat([loud(64), quiet(640)]));
  await expect.poll(() => heard.at(-1)).toBe('final The lamp is broken.');
  stream.close();
  recogniser.stop();
});

it('does not continue with what a call said that is over', async () => {
  const { recogniser, listen } = await listenWith(['first', 'second', 'third', 'fourth']);
  const [over, next] = [listen(), listen()];
  over.stream.push(Buffer.concat([quiet(320), ...[1, 2, 3].flatMap(() => [loud(320), quiet(640)])]));
  over.stream.close();
  next.stream.push(Buffer.concat([quiet(320), loud(320), quiet(640)]));
  await expect.poll(() => next.heard.at(-1)).toBe('final second');
  expect(over.heard).toEqual([]);
  next.stream.close();
  recogniser.stop();
});
