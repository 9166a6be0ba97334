import { pino } from 'pino';
import type { Database } from '../../src/database/database.ts';
import { startListener } from '../../src/database/listener.ts';
import { newId } from '../../src/lib/new-id.ts';
import { commandsChannel, createNodeCommands, type NodeCommands } from '../../src/nodes/node-commands.ts';

export interface CommandNode extends NodeCommands {
  nodeId: string;
  logged: string[];
}

/** A node that only exchanges commands. `close` ends it. */
export async function startCommandNode(database: Database): Promise<CommandNode> {
  const nodeId = newId();
  const logged: string[] = [];
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
  // It sends no heartbeat, and a test may take longer than a node is waited for.
  await database.acrossWorkspaces.execute(
    `insert into nodes (id, seen_at) values ('${nodeId}', now() + interval '1 hour')`,
  );
  const commands = createNodeCommands({ database, log }, nodeId);
  const listener = await startListener({
    database,
    log,
    channels: {
      [commandsChannel](recipient) {
        if (recipient === nodeId) commands.collect();
      },
    },
    onConnected: (isConnected) => isConnected && commands.collect(),
  });
  return {
    ...commands,
    nodeId,
    logged,
    async close() {
      await listener.stop();
      await commands.close();
      await database.acrossWorkspaces.execute(`delete from nodes where id = '${nodeId}'`);
    },
  };
}
