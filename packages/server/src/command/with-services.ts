import { readConfig } from '../config/config.ts';
import { type OpenedDatabase, openConfiguredDatabase } from '../database/open-configured-database.ts';
import { createKeyCache } from '../keys/key-cache.ts';
import { createKeyService, type KeyService } from '../keys/keys.service.ts';
import { systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import { createMemoryCounter } from '../limits/memory-counter.ts';
import { createRequestLimits } from '../limits/request-limits.ts';
import { openMembers } from '../members/open-members.ts';
import { createSecretBox } from '../secrets/secret-box.ts';
import type { Services } from '../services.ts';
import { holdingKinds } from '../wiring/open-people.ts';
import { createWorkspaceService, type WorkspaceService } from '../workspaces/workspaces.service.ts';

export interface CommandServices extends Pick<OpenedDatabase, 'database' | 'keyRing' | 'keyFiles'> {
  workspaces: WorkspaceService;
  keys: KeyService;
  people: Pick<Services, 'accounts' | 'invitations' | 'members' | 'team'>;
  /** The workspace of a command that names none. */
  defaultWorkspaceId(): Promise<string>;
}

/** Opens the configured database for one command, and always closes it again. */
export async function withServices<Result>(
  work: (services: CommandServices) => Promise<Result>,
): Promise<Result> {
  const config = readConfig();
  const opened = await openConfiguredDatabase({
    config,
    role: 'command',
    onProgress: (text) => void process.stderr.write(`${text}\n`),
    onConnectionError: (error) => void process.stderr.write(`${error.message}\n`),
  });
  const { database } = opened;
  const workspaces = createWorkspaceService({ database });
  const keys = createKeyService({ database, cache: createKeyCache(), clock: systemClock });
  const box = createSecretBox(opened.keyRing);
  const limits = createRequestLimits({
    counter: createMemoryCounter(),
    perMinute: undefined,
    keyedHash: box.keyedHash,
  });
  const { publicUrl, logLevel: level } = config;
  const log = createLog({ level, readable: false });
  const shared = { database, workspaces, box, limits, publicUrl, clock: systemClock, log };
  // A command is not on the bus, and an invitation is never accepted with one.
  const { services: people } = openMembers({
    ...shared,
    noteChange: () => undefined,
    holdingKinds,
    onRevoked: () => undefined,
    sendMail: config.smtp && (() => Promise.reject(new Error('A command sends no mail.'))),
  });
  try {
    return await work({
      ...opened,
      workspaces,
      keys,
      people,
      defaultWorkspaceId: async () => (await workspaces.ensureDefault(config.plan)).id,
    });
  } finally {
    await opened.close();
  }
}
