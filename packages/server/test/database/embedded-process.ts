import { openEmbeddedDatabase } from '../../src/database/embedded/open-embedded-database.ts';

// A separate process that opens the database given by its arguments, prints the result, and stops on SIGTERM.
const [directory = '', role] = process.argv.slice(2);
try {
  const database = await openEmbeddedDatabase({
    directory,
    role: role === 'service' ? 'service' : 'command',
    settings: { fsync: 'off' },
  });
  process.once('SIGTERM', () => void database.stop().then(() => process.exit(0)));
  process.stdout.write(`${JSON.stringify({ connection: database.connection })}\n`);
} catch (error) {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  process.stdout.write(`${JSON.stringify({ error: `${name}: ${message}` })}\n`, () => process.exit(1));
}
