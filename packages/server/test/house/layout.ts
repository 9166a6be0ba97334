/**
 * The features of the server, lowest first. One row is one level: a feature may use what stands in the rows above its
 * own, never its neighbours in the row. A new folder in packages/server/src gets its place here.
 */
const featureLevels: readonly (readonly string[])[] = [
  ['workspaces', 'billing', 'keys', 'failed-jobs'],
  ['bots'],
  ['knowledge', 'machines', 'tools'],
  ['post-call-hooks', 'discover', 'runs'],
  ['conversations'],
  ['approvals'],
  ['turns'],
  ['agents', 'quality', 'evaluations', 'widgets', 'voice', 'console'],
];

/** Folders below all features: any of them may be used by any feature, and none of them knows a feature. */
const sharedFolders = [
  'database',
  'events',
  'jobs',
  'egress',
  'pages',
  'models',
  'secrets',
  'nodes',
  'http',
  'idempotency',
  'limits',
  'validation',
  'telemetry',
  'webhooks',
];

/** The only places that put features together, with the helpers of main.ts. Files and folders. */
const wiring = [
  'app.ts',
  'wiring',
  'main.ts',
  'command',
  'welcome.ts',
  'explain-error.ts',
  'stop-on-signals.ts',
];

/** The few store functions that cannot know the workspace: `file under src`#`name`. Each needs a good reason. */
export const acrossWorkspaces: readonly string[] = [
  // The workspace is what a key's lookup finds out.
  'keys/store.ts#findByHashAcrossWorkspaces',
  // A link is its own key: it leads to one approval of any workspace.
  'approvals/store.ts#findAcrossWorkspaces',
  // For the operator at the command line, who stands above all workspaces.
  'keys/store.ts#listAcrossWorkspaces',
  'keys/store.ts#revokeAcrossWorkspaces',
  'workspaces/store.ts#listAcrossWorkspaces',
  'tools/store.ts#lockSecretsAcrossWorkspaces',
  // Before the first start there is no workspace, and only one node may make it.
  'keys/store.ts#countAloneAcrossWorkspaces',
  'workspaces/store.ts#lockDefaultAcrossWorkspaces',
  // Sweeps, and a node's care for what it reservations.
  'keys/store.ts#listDeadAcrossWorkspaces',
  'approvals/store.ts#listExpiredAcrossWorkspaces',
  'bots/store.ts#listDueAcrossWorkspaces',
  'runs/store.ts#listOverdueAcrossWorkspaces',
  'billing/store.ts#releaseReservationsAcrossWorkspaces',
  'turns/store.ts#claimAbandonedAcrossWorkspaces',
  'turns/store.ts#listHeldAcrossWorkspaces',
  'evaluations/store.ts#claimAcrossWorkspaces',
  'idempotency/store.ts#deleteExpiredAcrossWorkspaces',
  'knowledge/store.ts#listUnfinishedAcrossWorkspaces',
  'jobs/store.ts#listUnfinishedAcrossWorkspaces',
  'jobs/store.ts#listHeldAcrossWorkspaces',
  'jobs/store.ts#groupWaitingAcrossWorkspaces',
  'jobs/store.ts#forbidRetriesAcrossWorkspaces',
  'jobs/store.ts#holdAcrossWorkspaces',
  'jobs/store.ts#releaseAcrossWorkspaces',
  'jobs/store.ts#takeAbandonedAcrossWorkspaces',
  'jobs/store.ts#removeSupersededAcrossWorkspaces',
  'jobs/store.ts#retryNowAcrossWorkspaces',
  // A change of the embedding model concerns every workspace.
  'knowledge/embedding/store.ts#listOutdatedAcrossWorkspaces',
  // A change of the encryption key concerns everything that is sealed.
  'idempotency/store.ts#lockAcrossWorkspaces',
  'approvals/store.ts#lockFingerprintsAcrossWorkspaces',
];

const serverSource = 'packages/server/src/';

export type Place =
  | { kind: 'wiring' }
  | { kind: 'shared'; name: string }
  | { kind: 'feature'; name: string; level: number; role: Role }
  | { kind: 'unknown'; name: string };

/** What a file is inside its feature. Every other file is a helper. */
export type Role = 'routes' | 'service' | 'store' | 'tables' | 'helper';

/** Where in the server a file stands; undefined when it is not a source of the server. */
export function placeOf(path: string): Place | undefined {
  if (!path.startsWith(serverSource)) return undefined;
  const [name = '', ...rest] = path.slice(serverSource.length).split('/');
  if (wiring.includes(name)) return { kind: 'wiring' };
  if (rest.length === 0 || sharedFolders.includes(name)) return { kind: 'shared', name };
  const level = featureLevels.findIndex((names) => names.includes(name));
  return level === -1 ? { kind: 'unknown', name } : { kind: 'feature', name, level, role: roleOf(rest) };
}

function roleOf(pathInFeature: string[]): Role {
  const role = /^(routes|service|store|tables)\.ts$/.exec(pathInFeature.at(-1) ?? '')?.[1];
  return (role as Role | undefined) ?? 'helper';
}
