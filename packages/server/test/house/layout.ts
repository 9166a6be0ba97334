/**
 * The features of the server, lowest first. Each row is a level: a feature may use those in the rows above its
 * own, never those in the same row. A new folder in packages/server/src must be added here.
 */
const featureLevels: readonly (readonly string[])[] = [
  ['audit'],
  ['workspaces', 'billing', 'keys', 'failed-jobs'],
  ['members'],
  ['bots'],
  ['knowledge', 'machines', 'tools'],
  ['post-call-hooks', 'discover', 'runs', 'voice-calls'],
  ['conversations'],
  ['approvals'],
  ['turns'],
  ['end-users'],
  ['agents', 'quality', 'evaluations', 'widgets', 'voice'],
  ['console'],
];

/** Folders below all features: any feature may use them, and they never import a feature. */
const sharedFolders = [
  'database',
  'bus',
  'redis',
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

/** The only files and folders that wire features, with the helpers of main.ts. */
const wiring = [
  'app.ts',
  'wiring',
  'main.ts',
  'command',
  'welcome.ts',
  'explain-error.ts',
  'stop-on-signals.ts',
  'processes',
];

/** The few store functions that cannot know the workspace: `file under src`#`name`. Each needs a good reason. */
export const acrossWorkspaces: readonly string[] = [
  // A telephone network knows a call by its id only, and the sweep looks after all of them.
  'voice-calls/store.ts#findAcrossWorkspaces',
  'voice-calls/store.ts#findByNetworkIdAcrossWorkspaces',
  'voice-calls/store.ts#findBySessionAcrossWorkspaces',
  'voice-calls/store.ts#listLeftAcrossWorkspaces',
  'voice-calls/store.ts#listWithOpenHooksAcrossWorkspaces',
  'voice/transfers/store.ts#takeDueAcrossWorkspaces',
  // A caller dials a number; looking it up determines the workspace.
  'voice/numbers/store.ts#findByPhoneAcrossWorkspaces',
  'voice/numbers/store.ts#lockPhoneAcrossWorkspaces',
  // The operator of the service gives numbers to workspaces.
  'voice/numbers/store.ts#assigneeOfAcrossWorkspaces',
  'voice/numbers/store.ts#listAssignedAcrossWorkspaces',
  // Looking up a key determines the workspace.
  'keys/store.ts#findByHashAcrossWorkspaces',
  'machines/store.ts#findByHashAcrossWorkspaces',
  'widgets/store.ts#findByKeyAcrossWorkspaces',
  // A link is a credential for one approval, whatever its workspace.
  'approvals/store.ts#findAcrossWorkspaces',
  // People belong to no workspace; members connects them. Links determine the workspace.
  'members/identity/store.ts#insertAcrossWorkspaces',
  'members/identity/store.ts#listAcrossWorkspaces',
  'members/identity/store.ts#updateAcrossWorkspaces',
  'members/identity/store.ts#deleteAcrossWorkspaces',
  'members/identity/store.ts#countAcrossWorkspaces',
  'members/store.ts#hasUsersAcrossWorkspaces',
  'members/store.ts#hasSessionAcrossWorkspaces',
  'members/store.ts#emailOfAcrossWorkspaces',
  'members/store.ts#deleteUserAcrossWorkspaces',
  'members/store.ts#notifyAcrossWorkspaces',
  'members/store.ts#lockSetUpAcrossWorkspaces',
  'members/store.ts#findUserAcrossWorkspaces',
  'members/store.ts#lockUserAcrossWorkspaces',
  'members/store.ts#insertUserAcrossWorkspaces',
  'members/store.ts#renameUserAcrossWorkspaces',
  'members/store.ts#findPasswordAcrossWorkspaces',
  'members/store.ts#setPasswordAcrossWorkspaces',
  'members/store.ts#deleteExpiredAcrossWorkspaces',
  'members/store.ts#listAllAcrossWorkspaces',
  'members/store.ts#listWorkspacesAcrossWorkspaces',
  'members/store.ts#insertLinkAcrossWorkspaces',
  'members/store.ts#findLinkAcrossWorkspaces',
  'members/store.ts#takeLinkAcrossWorkspaces',
  'members/store.ts#deleteLinksAcrossWorkspaces',
  // Requests are also counted per address, and several workspaces' in one statement.
  'limits/store.ts#countAcrossWorkspaces',
  'limits/store.ts#takeBackAcrossWorkspaces',
  // For the operator at the command line, who manages all workspaces.
  'keys/store.ts#listAcrossWorkspaces',
  'keys/store.ts#revokeAcrossWorkspaces',
  'workspaces/store.ts#listAcrossWorkspaces',
  'tools/store.ts#lockSecretsAcrossWorkspaces',
  // Before the first start there is no workspace, and only one node may create it.
  'keys/store.ts#countAloneAcrossWorkspaces',
  'workspaces/store.ts#lockDefaultAcrossWorkspaces',
  // Sweeps, and a node's renewal of its own leases and reservations.
  'keys/store.ts#listDeadAcrossWorkspaces',
  'keys/store.ts#setLastUsesAcrossWorkspaces',
  'approvals/store.ts#listExpiredAcrossWorkspaces',
  'bots/store.ts#listDueAcrossWorkspaces',
  'bots/drafts/store.ts#listUnusedAcrossWorkspaces',
  'runs/store.ts#listOverdueAcrossWorkspaces',
  'billing/store.ts#releaseReservationsAcrossWorkspaces',
  'turns/store.ts#claimAbandonedAcrossWorkspaces',
  'turns/store.ts#listHeldAcrossWorkspaces',
  'evaluations/store.ts#claimAcrossWorkspaces',
  'machines/store.ts#renewAcrossWorkspaces',
  'machines/store.ts#disconnectAllAcrossWorkspaces',
  'idempotency/store.ts#deleteExpiredAcrossWorkspaces',
  'end-users/store.ts#deleteOldAcrossWorkspaces',
  'audit/store.ts#deleteOldAcrossWorkspaces',
  'limits/store.ts#deleteExpiredAcrossWorkspaces',
  'knowledge/store.ts#listUnfinishedAcrossWorkspaces',
  'jobs/store.ts#listUnfinishedAcrossWorkspaces',
  'jobs/store.ts#listHeldAcrossWorkspaces',
  'jobs/store.ts#groupWaitingAcrossWorkspaces',
  'jobs/store.ts#forbidRetriesAcrossWorkspaces',
  'jobs/store.ts#holdAcrossWorkspaces',
  'jobs/store.ts#releaseAcrossWorkspaces',
  'jobs/store.ts#returnAcrossWorkspaces',
  'jobs/store.ts#takeAbandonedAcrossWorkspaces',
  'jobs/store.ts#removeSupersededAcrossWorkspaces',
  'jobs/store.ts#retryNowAcrossWorkspaces',
  // Operations of all workspaces wait for machines, and nodes exchange their frames.
  'machines/operations/store.ts#locateAcrossWorkspaces',
  'machines/operations/mailbox/store.ts#postAcrossWorkspaces',
  'machines/operations/mailbox/store.ts#takeAcrossWorkspaces',
  'machines/operations/mailbox/store.ts#deleteOldAcrossWorkspaces',
  // A change of the embedding model concerns every workspace.
  'knowledge/embedding/store.ts#listOutdatedAcrossWorkspaces',
  // A change of the encryption key concerns everything that is sealed.
  'idempotency/store.ts#lockAcrossWorkspaces',
  'approvals/store.ts#lockFingerprintsAcrossWorkspaces',
  'widgets/store.ts#lockSecretsAcrossWorkspaces',
];

/** Files whose statements or transactions run across workspaces, beside those that call a store function of that name. */
export const filesAcrossWorkspaces: Readonly<Record<string, string>> = {
  'command/secret-commands.ts': 'a change of the encryption key concerns all workspaces',
  'command/workspace-commands.ts': 'a workspace and its first key are created together',
  'console/system/service.ts': 'reads only the version of PostgreSQL and the nodes',
  'conversations/service.ts': 'PostgreSQL uses no index on metadata behind a policy; only ids are read',
  'jobs/boss.ts': 'pg-boss keeps the jobs of all workspaces',
  'jobs/dead-letters.ts': 'for the operator at the command line',
  'jobs/jobs.ts': 'grants rights on the tables of pg-boss',
  'jobs/return-abandoned.ts': 'jobs of a lost node, whatever their workspace',
  'jobs/settle-job.ts': 'a job is released before its workspace is known',
  'jobs/take-job.ts': 'a job is taken before its workspace is known',
  'keys/service.ts': 'the first key of an installation; revoking a key by its id alone, for the operator',
  'knowledge/ingestion/take-up.ts': 'a sweep looks at the jobs of all sources',
  'knowledge/keywords/keyword-search.ts':
    'PostgreSQL uses no index on arrays behind a policy; only ids and scores are read, the texts follow within the workspace',
  'members/accounts/service.ts': 'people belong to no workspace',
  'members/identity/identity.ts': 'people belong to no workspace',
  'members/invitations/service.ts': 'a link determines the workspace',
  'members/team/service.ts': 'making a workspace, deleting a person from all of them',
  'nodes/forget-nodes.ts': 'nodes belong to no workspace',
  'turns/admit/admit-turn.ts':
    'policies cost too much for the statements of every turn, see turns/write/statements.ts',
  'turns/write/write-step.ts':
    'policies cost too much for the statements of every turn, see turns/write/statements.ts',
  'voice/numbers/assignments.ts': 'for the operator, who assigns numbers to workspaces',
  'voice/numbers/service.ts': 'a telephone number is unique in the installation',
  'voice/post-call/give-up-hooks.ts': 'a sweep looks at the jobs of all calls',
  'wiring/open-message-counter.ts': 'counters are swept together',
  'wiring/open-request-limits.ts': 'counters are swept together',
  'workspaces/service.ts': 'the first workspace is found or created',
};

const serverSource = 'packages/server/src/';

export type Place =
  | { kind: 'wiring' }
  | { kind: 'shared'; name: string }
  | { kind: 'feature'; name: string; level: number; role: Role }
  | { kind: 'unknown'; name: string };

/** The role of a file in its feature. Every other file is a helper. */
export type Role = 'routes' | 'service' | 'store' | 'tables' | 'helper';

/** The place of a file in the server; undefined if it is not a source file of the server. */
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
