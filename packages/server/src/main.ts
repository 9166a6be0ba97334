import { readConfig } from './config/config.ts';
import { explainError } from './processes/explain-error.ts';

/**
 * One process is the whole service. With several, the first one is a supervisor, which starts the others with this same file.
 * Each loads only what it needs.
 */
async function start(): Promise<void> {
  const config = readConfig();
  if (config.processes === 1) {
    const { runService } = await import('./processes/run-service.ts');
    return runService(config);
  }
  const { isPrimary } = (await import('node:cluster')).default;
  if (isPrimary) {
    const { supervise } = await import('./processes/supervise.ts');
    return supervise(config);
  }
  const { runWorker } = await import('./processes/run-worker.ts');
  runWorker(config);
}

try {
  await start();
} catch (error) {
  // Everything is closed by now, but open handles such as the launcher's channel would keep the process alive. On some
  // systems exiting loses output that is still buffered, so the exit waits for the write.
  process.stderr.write(`${explainError(error)}\n`, () => process.exit(1));
}
