import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalSpeechFailed } from './local-speech.ts';
import { readWav, type WavAudio } from './wav.ts';

export interface Synthesis {
  path: string;
  parameters: string[];
  text: string;
  signal: AbortSignal;
  timeoutMs: number;
}

/** Calls in progress are more important. */
const niceness = '5';
const maxErrorBytes = 2_000;

/**
 * Lets a program speak a text, which neither a shell nor the program's options see. Its input and output are files without a name:
 * flite opens them again, which is impossible with the sockets that Node uses as pipes. They vanish when they are closed.
 */
export async function synthesize(synthesis: Synthesis): Promise<WavAudio> {
  const { text, path, signal } = synthesis;
  signal.throwIfAborted();
  await using input = await openNameless();
  await using output = await openNameless();
  // flite speaks a word only when it has seen what follows it: without the line break the last one is missing.
  await input.write(`${text}\n`, 0);
  const { code, complaint } = await run(synthesis, [input.fd, output.fd]);
  signal.throwIfAborted();
  const audio = code === 0 ? readWav(await readAll(output)) : undefined;
  if (!audio) throw new LocalSpeechFailed(`${path} failed: ${complaint || `exit code ${code}`}`);
  return audio;
}

interface Outcome {
  code: number | null;
  complaint: string;
}

function run(
  { path, parameters, signal, timeoutMs }: Synthesis,
  [input, output]: number[],
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn('nice', ['-n', niceness, path, ...parameters], {
      stdio: [input, output, 'pipe'],
      // It needs none of our secrets.
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
    });
    let complaint = '';
    const kill = () => child.kill('SIGKILL');
    const limit = setTimeout(() => {
      complaint = `no answer within ${timeoutMs} ms`;
      kill();
    }, timeoutMs);
    signal.addEventListener('abort', kill);
    child.stderr?.on('data', (chunk: Buffer) => {
      if (complaint.length < maxErrorBytes) complaint += chunk.toString('latin1').slice(0, maxErrorBytes);
    });
    child.once('error', (error) => {
      complaint = error.message;
    });
    child.once('close', (code) => {
      clearTimeout(limit);
      signal.removeEventListener('abort', kill);
      resolve({ code, complaint: complaint.trim() });
    });
  });
}

async function openNameless(): Promise<FileHandle> {
  const path = join(tmpdir(), `svc-speech-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}

async function readAll(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat();
  const content = Buffer.alloc(size);
  const { bytesRead } = await file.read(content, 0, size, 0);
  return content.subarray(0, bytesRead);
}
