import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, vi } from 'vitest';
import { modelFiles } from '../src/model-files.ts';
import { createRecogniser } from '../src/recogniser.ts';

it('frees the memory of the model after a while without a call, not under the next one', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-recogniser-'));
  const program = join(folder, 'silent.mjs');
  await writeFile(program, `process.on('message', () => undefined);`);
  const recogniser = createRecogniser({
    models: modelFiles(folder),
    runFairly: (_group, _signal, work) => work(),
    program: pathToFileURL(program),
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const [first, second] = [vi.fn(), vi.fn()];
    const failed = recogniser.open(first);
    failed.close();
    // A stream that has failed is closed again by its call.
    failed.close();
    recogniser.open(second);
    vi.advanceTimersByTime(3_600_000);
    expect(second).not.toHaveBeenCalled();
    recogniser.stop();
    expect(second).toHaveBeenCalledTimes(1);
    expect(first).not.toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
    recogniser.stop();
    await rm(folder, { recursive: true });
  }
});
