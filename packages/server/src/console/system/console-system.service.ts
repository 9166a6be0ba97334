import type { SystemReport } from '@svc/contract/console-system';
import type { Config } from '../../config/config.ts';
import { readServerVersion } from '../../database/server-version.ts';
import { release } from '../../lib/release.ts';
import { isUsable, providers } from '../../models/providers/providers.ts';
import { listNodes } from '../../nodes/presence.ts';
import type { Services } from '../../services.ts';
import { createOwnFigures, nodeFigures } from './node-figures.ts';
import { createSystemFigures } from './system-figures.ts';

export interface SystemDependencies
  extends Pick<
    Services,
    | 'bus'
    | 'config'
    | 'database'
    | 'installationFigures'
    | 'meters'
    | 'models'
    | 'nodeCommands'
    | 'nodeId'
    | 'recentFailures'
    | 'workspaces'
  > {
  /** What operators should know, although the service works. */
  notes(): string[];
}

export type SystemService = ReturnType<typeof createSystemService>;

/** What the installation consists of, without any key or address of it. */
export function createSystemService(dependencies: SystemDependencies) {
  const { config, database, bus, models, nodeId, notes, nodeCommands, workspaces } = dependencies;
  const own = createOwnFigures(dependencies);
  const figures = createSystemFigures({ ...dependencies, own });
  const stopAnswering = nodeCommands.handle(nodeFigures, own.read);
  return {
    figures: figures.read,
    stop(): void {
      stopAnswering();
      own.stop();
    },
    async report(workspaceId: string): Promise<SystemReport> {
      const started = performance.now();
      const version = await readServerVersion(database.acrossWorkspaces);
      const milliseconds = Math.round((performance.now() - started) * 10) / 10;
      const nodes = await listNodes(database.acrossWorkspaces);
      return {
        release,
        default_model: models.defaultModelId(),
        providers: describeProviders(config.providers),
        mail: { is_ready: config.smtp !== undefined, variable: 'SVC_SMTP_URL' },
        database: { is_embedded: config.databaseUrl === undefined, version, milliseconds },
        redis: {
          is_configured: config.redisUrl !== undefined,
          is_connected: config.redisUrl !== undefined && bus.reach !== undefined,
        },
        nodes: nodes.map((node) => ({
          id: node.id,
          is_this: node.id === nodeId,
          release: node.release,
          started_at: node.startedAt.toISOString(),
          seen_at: node.seenAt.toISOString(),
          is_alive: node.isAlive,
        })),
        notes: notes(),
        shows_figures: await workspaces.isDefault(workspaceId),
      };
    },
  };
}

function describeProviders(configs: Config['providers']): SystemReport['providers'] {
  return providers.map((provider) => ({
    name: provider.name,
    uses: [
      ...(provider.chat ? ['chat' as const] : []),
      ...(provider.embeddings ? ['embeddings' as const] : []),
      ...(provider.speech ? ['speech' as const] : []),
    ],
    is_ready: isUsable(provider, configs),
    has_key: configs[provider.name]?.apiKey !== undefined,
    key_variable: provider.access?.keyVariable ?? null,
    url_variable: provider.access?.urlVariable ?? null,
  }));
}
