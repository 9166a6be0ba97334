import { createApp } from './app.ts';
import { systemClock } from './clock.ts';
import { readConfig, unknownVariables } from './config.ts';
import { ConfigError } from './config-error.ts';
import { openConfiguredDatabase } from './database/open-configured-database.ts';
import { explainError } from './explain-error.ts';
import { createFrontDoor } from './http/front-door.ts';
import { createLog } from './log.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { welcome } from './welcome.ts';

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Ignores a failed opening: the caller that awaits it reports why. */
async function closeIfOpened<Thing>(
  opening: Promise<Thing>,
  close: (thing: Thing) => Promise<void>,
): Promise<void> {
  const [outcome] = await Promise.allSettled([opening]);
  if (outcome.status === 'fulfilled') await close(outcome.value);
}

async function start(): Promise<void> {
  const config = readConfig();
  const log = createLog({ level: config.logLevel, readable: process.stdout.isTTY });
  for (const name of unknownVariables()) say(`${name} is not a variable of this service. Is it misspelt?`);

  const door = createFrontDoor();
  const { port } = await listen(config.port, config.host);
  const cleanUp = stopOnSignals({ log, door });
  const stopping = new AbortController();
  try {
    const opening = openConfiguredDatabase({
      config,
      role: 'service',
      onProgress: say,
      signal: stopping.signal,
      onConnectionError: (error) => log.warn({ err: error }, 'A database connection was lost.'),
    });
    cleanUp.add(async () => {
      stopping.abort();
      await closeIfOpened(opening, (opened) => opened.close());
    });
    const creating = createApp({
      ...(await opening),
      config,
      door,
      log,
      clock: systemClock,
      isAlone: config.databaseUrl === undefined,
    });
    // The app answers requests shortly before createApp returns, so a signal in between must drain it too.
    cleanUp.add(() => closeIfOpened(creating, (app) => app.stop()));
    say(welcome({ config, port, app: await creating }));
  } catch (error) {
    await cleanUp.run();
    throw error;
  }

  async function listen(wanted: number, host: string): Promise<{ port: number }> {
    try {
      return await door.listen(wanted, host);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EADDRINUSE')
        throw new ConfigError(`PORT ${wanted} is already in use on ${host}: choose another.`, {
          cause: error,
        });
      throw new ConfigError(`HOST ${host} and PORT ${wanted} cannot be listened on (${code}).`, {
        cause: error,
      });
    }
  }
}

try {
  await start();
} catch (error) {
  // Everything is closed by now, but open handles such as the launcher's channel would keep the process alive. On some
  // systems exiting loses output that is still buffered, so the exit waits for the write.
  process.stderr.write(`${explainError(error)}\n`, () => process.exit(1));
}
