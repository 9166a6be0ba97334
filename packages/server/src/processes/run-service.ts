import { createApp } from '../app.ts';
import { type Config, unknownVariables } from '../config/config.ts';
import { openConfiguredDatabase } from '../database/open-configured-database.ts';
import { createFrontDoor } from '../http/front-door.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { closeIfOpened } from './close-if-opened.ts';
import { listen } from './listen.ts';
import { say } from './say.ts';
import { stopOnSignals } from './stop-on-signals.ts';
import { welcome } from './welcome.ts';

/** The whole service in this process. */
export async function runService(config: Config): Promise<void> {
  const log = createLog({ level: config.logLevel, readable: process.stdout.isTTY });
  for (const name of unknownVariables()) say(`${name} is not a variable of this service. Is it misspelt?`);

  const door = createFrontDoor();
  const { port } = await listen(door, config.port, config.host);
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
    say(await welcome({ config, port, app: await creating, isTerminal: process.stdout.isTTY }));
  } catch (error) {
    await cleanUp.run();
    throw error;
  }
}
