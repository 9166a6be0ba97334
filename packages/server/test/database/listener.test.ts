import { connect } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { openDatabase } from '../../src/database/database.ts';
import { startListener } from '../../src/database/listener.ts';
import { startTcpProxy } from '../support/faults/tcp-proxy.ts';
import { createTestDatabase } from '../support/test-database.ts';

it('replaces a connection that was lost without being closed', async () => {
  const store = await createTestDatabase();
  const { host, port, user, password, database: name } = store.connection;
  const proxy = await startTcpProxy(() => connect(join(String(host), `.s.PGSQL.${port}`)));
  const connection = { host: '127.0.0.1', port: proxy.port, user, password, database: name };
  const database = openDatabase({ connection, maxConnections: 1, onConnectionError: () => undefined });
  const changes: boolean[] = [];
  const heard: string[] = [];
  const listener = await startListener({
    database,
    log: pino({ level: 'silent' }),
    channels: { news: (payload) => void heard.push(payload) },
    onConnected: (isConnected) => void changes.push(isConnected),
  });
  expect(changes).toEqual([true]);
  proxy.set('held');
  await expect.poll(() => changes).toEqual([true, false]);
  proxy.set('open');
  await expect.poll(() => changes).toEqual([true, false, true]);
  await store.database.acrossWorkspaces.execute(`select pg_notify('news', 'again')`);
  await expect.poll(() => heard).toEqual(['again']);
  await listener.stop();
  await database.close();
  await proxy.close();
  await store.drop();
});
