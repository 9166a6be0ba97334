/**
 * The features of the server, lowest first. Each row is a level: a feature may use those in the rows above its
 * own, never those in the same row. A new folder in packages/server/src must be added here.
 */
const featureLevels: readonly (readonly string[])[] = [
  ['audit', 'files'],
  ['workspaces', 'legal-holds'],
  ['billing', 'keys', 'failed-jobs'],
  ['members'],
  ['bots'],
  ['knowledge', 'machines', 'tools'],
  ['post-call-hooks', 'discover', 'runs', 'voice-calls'],
  ['conversations'],
  ['approvals'],
  ['turns'],
  ['end-users'],
  ['agents', 'quality', 'evaluations', 'widgets', 'voice', 'retention'],
  ['console'],
];

/** Folders below all features: any feature may use them, and they never import a feature. */
const sharedFolders = [
  'lib',
  'config',
  'database',
  'bus',
  'redis',
  'events',
  'jobs',
  'egress',
  'pages',
  'metrics',
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

/** The only files and folders that wire features. */
const wiring = ['app.ts', 'services.ts', 'wiring', 'main.ts', 'command', 'processes'];

/** The few store functions that cannot know the workspace: `file under src`#`name`. Each needs a good reason. */
export const acrossWorkspaces: readonly string[] = [
  // A telephone network knows a call by its id only, and the sweep looks after all of them.
  'voice-calls/voice-calls.store.ts#findAcrossWorkspaces',
  'voice-calls/voice-calls.store.ts#findByNetworkIdAcrossWorkspaces',
  'voice-calls/voice-calls.store.ts#findBySessionAcrossWorkspaces',
  'voice-calls/voice-calls.store.ts#listLeftAcrossWorkspaces',
  'voice-calls/voice-calls.store.ts#listWithOpenHooksAcrossWorkspaces',
  'voice/transfers/transfers.store.ts#takeDueAcrossWorkspaces',
  // A caller dials a number; looking it up determines the workspace.
  'voice/numbers/phone-numbers.store.ts#findByPhoneAcrossWorkspaces',
  'voice/numbers/phone-numbers.store.ts#lockPhoneAcrossWorkspaces',
  // The operator of the service gives numbers to workspaces.
  'voice/numbers/phone-numbers.store.ts#assigneeOfAcrossWorkspaces',
  'voice/numbers/phone-numbers.store.ts#listAssignedAcrossWorkspaces',
  // Looking up a key determines the workspace.
  'keys/keys.store.ts#findByHashAcrossWorkspaces',
  'machines/machines.store.ts#findByHashAcrossWorkspaces',
  'widgets/widgets.store.ts#findByKeyAcrossWorkspaces',
  // A link is a credential for one approval, whatever its workspace.
  'approvals/approvals.store.ts#findAcrossWorkspaces',
  // People belong to no workspace; members connects them. Links determine the workspace.
  'members/identity/identity.store.ts#insertAcrossWorkspaces',
  'members/identity/identity.store.ts#listAcrossWorkspaces',
  'members/identity/identity.store.ts#updateAcrossWorkspaces',
  'members/identity/identity.store.ts#deleteAcrossWorkspaces',
  'members/identity/identity.store.ts#countAcrossWorkspaces',
  'members/members.store.ts#hasUsersAcrossWorkspaces',
  'members/members.store.ts#hasSessionAcrossWorkspaces',
  'members/members.store.ts#emailOfAcrossWorkspaces',
  'members/members.store.ts#deleteUserAcrossWorkspaces',
  'members/members.store.ts#notifyAcrossWorkspaces',
  'members/members.store.ts#lockSetUpAcrossWorkspaces',
  'members/members.store.ts#findUserAcrossWorkspaces',
  'members/members.store.ts#lockUserAcrossWorkspaces',
  'members/members.store.ts#insertUserAcrossWorkspaces',
  'members/members.store.ts#renameUserAcrossWorkspaces',
  'members/members.store.ts#findPasswordAcrossWorkspaces',
  'members/members.store.ts#setPasswordAcrossWorkspaces',
  'members/members.store.ts#deleteExpiredAcrossWorkspaces',
  'members/members.store.ts#listAllAcrossWorkspaces',
  'members/members.store.ts#listWorkspacesAcrossWorkspaces',
  'members/members.store.ts#insertLinkAcrossWorkspaces',
  'members/members.store.ts#findLinkAcrossWorkspaces',
  'members/members.store.ts#takeLinkAcrossWorkspaces',
  'members/members.store.ts#deleteLinksAcrossWorkspaces',
  // Requests are also counted per address, and several workspaces' in one statement.
  'limits/limits.store.ts#countAcrossWorkspaces',
  'limits/limits.store.ts#takeBackAcrossWorkspaces',
  // For the operator at the command line, who manages all workspaces.
  'keys/keys.store.ts#listAcrossWorkspaces',
  'keys/keys.store.ts#revokeAcrossWorkspaces',
  'workspaces/workspaces.store.ts#listAcrossWorkspaces',
  'tools/tools.store.ts#lockSecretsAcrossWorkspaces',
  // Before the first start there is no workspace, and only one node may create it.
  'keys/keys.store.ts#countAloneAcrossWorkspaces',
  'workspaces/workspaces.store.ts#lockDefaultAcrossWorkspaces',
  // Sweeps, and a node's renewal of its own leases and reservations.
  'keys/keys.store.ts#listDeadAcrossWorkspaces',
  'keys/keys.store.ts#setLastUsesAcrossWorkspaces',
  'approvals/approvals.store.ts#listExpiredAcrossWorkspaces',
  'bots/bots.store.ts#listDueAcrossWorkspaces',
  'bots/drafts/drafts.store.ts#listUnusedAcrossWorkspaces',
  'runs/runs.store.ts#listOverdueAcrossWorkspaces',
  'billing/billing.store.ts#releaseReservationsAcrossWorkspaces',
  'turns/turns.store.ts#claimAbandonedAcrossWorkspaces',
  'turns/turns.store.ts#listHeldAcrossWorkspaces',
  'evaluations/evaluations.store.ts#claimAcrossWorkspaces',
  'machines/machines.store.ts#renewAcrossWorkspaces',
  'machines/machines.store.ts#disconnectAllAcrossWorkspaces',
  'idempotency/idempotency.store.ts#deleteExpiredAcrossWorkspaces',
  'end-users/end-users.store.ts#deleteOldAcrossWorkspaces',
  'conversations/attachments/attachments.store.ts#deleteOldUnsentAcrossWorkspaces',
  'files/files.store.ts#takeDueAcrossWorkspaces',
  'files/files.store.ts#deleteAcrossWorkspaces',
  'retention/retention.store.ts#addMissingAcrossWorkspaces',
  'retention/retention.store.ts#listDueAcrossWorkspaces',
  'limits/limits.store.ts#deleteExpiredAcrossWorkspaces',
  'knowledge/knowledge.store.ts#listUnfinishedAcrossWorkspaces',
  'jobs/jobs.store.ts#listUnfinishedAcrossWorkspaces',
  'jobs/jobs.store.ts#listHeldAcrossWorkspaces',
  'jobs/jobs.store.ts#groupWaitingAcrossWorkspaces',
  'jobs/jobs.store.ts#forbidRetriesAcrossWorkspaces',
  'jobs/jobs.store.ts#holdAcrossWorkspaces',
  'jobs/jobs.store.ts#releaseAcrossWorkspaces',
  'jobs/jobs.store.ts#returnAcrossWorkspaces',
  'jobs/jobs.store.ts#takeAbandonedAcrossWorkspaces',
  'jobs/jobs.store.ts#removeSupersededAcrossWorkspaces',
  'jobs/jobs.store.ts#retryNowAcrossWorkspaces',
  // Operations of all workspaces wait for machines, and nodes tell each other what to do.
  'machines/operations/machine-operations.store.ts#locateAcrossWorkspaces',
  'nodes/node-commands.store.ts#addAcrossWorkspaces',
  'nodes/node-commands.store.ts#listAcrossWorkspaces',
  'nodes/node-commands.store.ts#deleteAcrossWorkspaces',
  'nodes/node-commands.store.ts#deleteLeftAcrossWorkspaces',
  // Figures of the whole installation, for its operator.
  'metrics/metrics.store.ts#readFiguresAcrossWorkspaces',
  // A change of the embedding model concerns every workspace.
  'knowledge/embedding/embedding.store.ts#listOutdatedAcrossWorkspaces',
  // Each large workspace has an index of its own.
  'knowledge/vector-index/pgvector/pgvector.store.ts#listLargeAcrossWorkspaces',
  'knowledge/vector-index/pgvector/pgvector.store.ts#listGraphsAcrossWorkspaces',
  'knowledge/vector-index/pgvector/pgvector.store.ts#isEmptyAcrossWorkspaces',
  // A change of the encryption key concerns everything that is sealed.
  'idempotency/idempotency.store.ts#lockAcrossWorkspaces',
  'approvals/approvals.store.ts#lockFingerprintsAcrossWorkspaces',
  'widgets/widgets.store.ts#lockSecretsAcrossWorkspaces',
];

/** Files whose statements or transactions run across workspaces, beside those that call a store function of that name. */
export const filesAcrossWorkspaces: Readonly<Record<string, string>> = {
  'command/rotate-secrets.ts': 'a change of the encryption key concerns all workspaces',
  'command/workspace-commands.ts': 'a workspace and its first key are created together',
  'console/system/system-figures.ts': 'reads only the nodes',
  'console/system/console-system.service.ts': 'reads only the version of PostgreSQL and the nodes',
  'conversations/conversations.service.ts':
    'PostgreSQL uses no index on metadata behind a policy; only ids are read',
  'jobs/boss.ts': 'pg-boss keeps the jobs of all workspaces',
  'jobs/dead-letters.ts': 'for the operator at the command line',
  'jobs/jobs.ts': 'grants rights on the tables of pg-boss, returns the jobs of a lost node',
  'jobs/settle-job.ts': 'a job is released before its workspace is known',
  'jobs/queue-worker.ts': 'a job is taken before its workspace is known',
  'keys/keys.service.ts':
    'the first key of an installation; revoking a key by its id alone, for the operator',
  'knowledge/ingestion/lost-source-sweep.ts': 'a sweep looks at the jobs of all sources',
  'knowledge/keywords/keyword-search.ts':
    'PostgreSQL uses no index on arrays behind a policy; only ids and scores are read, the texts follow within the workspace',
  'members/accounts/accounts.service.ts': 'people belong to no workspace',
  'members/identity/identity.ts': 'people belong to no workspace',
  'members/invitations/invitations.service.ts': 'a link determines the workspace',
  'members/team/team.service.ts': 'making a workspace, deleting a person from all of them',
  'metrics/installation-figures.ts': 'figures of the whole installation, for its operator',
  'nodes/presence.ts': 'nodes belong to no workspace',
  'retention/retention.service.ts': 'a round finds the workspaces that are due',
  'turns/admit/admit-turn.ts':
    'policies cost too much for the statements of every turn, see turns/write/statements.ts',
  'turns/write/write-step.ts':
    'policies cost too much for the statements of every turn, see turns/write/statements.ts',
  'voice/numbers/number-assignments.ts': 'for the operator, who assigns numbers to workspaces',
  'voice/numbers/phone-numbers.service.ts': 'a telephone number is unique in the installation',
  'voice/post-call/give-up-hooks.ts': 'a sweep looks at the jobs of all calls',
  'wiring/open-limits.ts': 'counters are swept together',
  'workspaces/workspaces.service.ts': 'the first workspace is found or created',
};

const serverSource = 'packages/server/src/';

export type Layer =
  | { kind: 'wiring' }
  | { kind: 'shared'; name: string }
  | { kind: 'feature'; name: string; level: number; role: Role }
  | { kind: 'unknown'; name: string };

/** The role of a file in its feature. Every other file is a helper. */
export type Role = 'opening' | 'routes' | 'service' | 'store' | 'tables' | 'helper';

/** The layer of a file in the server; undefined if it is not a source file of the server. */
export function layerOf(path: string): Layer | undefined {
  if (!path.startsWith(serverSource)) return undefined;
  const [name = '', ...rest] = path.slice(serverSource.length).split('/');
  if (wiring.includes(name)) return { kind: 'wiring' };
  if (rest.length === 0 || sharedFolders.includes(name)) return { kind: 'shared', name };
  const level = featureLevels.findIndex((names) => names.includes(name));
  return level === -1 ? { kind: 'unknown', name } : { kind: 'feature', name, level, role: roleOf(rest) };
}

function roleOf(pathInFeature: string[]): Role {
  if (pathInFeature.length === 1 && pathInFeature[0]?.startsWith('open-')) return 'opening';
  const role = /\.(routes|service|store|tables)\.ts$/.exec(pathInFeature.at(-1) ?? '')?.[1];
  return (role as Role | undefined) ?? 'helper';
}
