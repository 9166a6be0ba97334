import { execFile } from 'node:child_process';
import { expect, it } from 'vitest';

const file = new URL('../src/stop-on-signals.ts', import.meta.url).href;

/** How a process ends that sends itself signals, and what it prints until then. */
function run(script: string): Promise<{ code: unknown; printed: string }> {
  const begin = `const { stopOnSignals } = await import(${JSON.stringify(file)});
    const send = (signal) => process.kill(process.pid, signal);
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    stopOnSignals().addEventListener('abort', () => console.log('stopping'));`;
  return new Promise((resolve) => {
    execFile(process.execPath, ['--input-type=module', '-e', `${begin}\n${script}`], (error, printed) =>
      resolve({ code: error?.code ?? 0, printed }),
    );
  });
}

it('takes signals that arrive together for one', async () => {
  const script = `send('SIGINT'); send('SIGINT'); send('SIGTERM'); await wait(100); console.log('stopped'); process.exit(0);`;
  expect(await run(script)).toEqual({ code: 0, printed: 'stopping\nstopped\n' });
});

it('ends at once after a second Ctrl-C', async () => {
  const script = `send('SIGINT'); await wait(1_500); send('SIGINT'); await wait(15_000); process.exit(0);`;
  expect(await run(script)).toEqual({ code: 130, printed: 'stopping\n' });
});
