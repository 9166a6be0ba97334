/** `npm run voice:install` ends with this: speaks a sentence, listens to it as a telephone would, and prints what was understood. */
import { setTimeout as sleep } from 'node:timers/promises';
import { silence } from '../../audio/format.ts';
import { createLocalSpeech } from './local-speech.ts';

const sentence = 'Good morning. I would like to know when my order will arrive.';
const patienceMs = 60_000;
const format = 'mulaw-8000';

const speech = createLocalSpeech({ log: { warn: (details: unknown) => print(JSON.stringify(details)) } });
try {
  const understood = await Promise.race([listenTo(await speak()), sleep(patienceMs, '', { ref: false })]);
  print(`said:       ${sentence}`);
  print(`understood: ${understood || 'nothing'}`);
  const isClose = understood.toLowerCase().includes('order');
  process.exitCode = isClose ? 0 : 1;
} finally {
  speech.stop();
}

async function speak(): Promise<Buffer> {
  const parts: Buffer[] = [];
  const speaker = speech.textToSpeech.open({ format });
  await speaker.say(sentence, (audio) => parts.push(audio), AbortSignal.timeout(patienceMs));
  speaker.close();
  return Buffer.concat([silence(format, 500), ...parts, silence(format, 1_000)]);
}

async function listenTo(audio: Buffer): Promise<string> {
  const heard: string[] = [];
  const stream = speech.speechToText.open(
    { format },
    {
      onPartial: () => undefined,
      onFinal: (text) => heard.push(text),
      onEndOfSpeech: () => undefined,
      onFailure: ({ message }) => print(message),
    },
  );
  stream.push(audio);
  await stream.idle();
  stream.close();
  return heard.join(' ');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
