import type { Database } from '../database/database.ts';
import type { NoteChange } from '../events/workspace-changes.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { RequestLimits } from '../limits/request-limits.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { WorkspaceService } from '../workspaces/workspaces.service.ts';
import { createAccountService } from './accounts/accounts.service.ts';
import { createIdentity } from './identity/identity.ts';
import { createKnownBrowsers } from './identity/known-browsers.ts';
import { createInvitationService, type SendMail } from './invitations/invitations.service.ts';
import { createMemberWatch } from './member-watch.ts';
import { createMemberService, membersChannel } from './members.service.ts';
import { memberStore } from './members.store.ts';
import { createHoldings, type HoldingKinds } from './team/holdings.ts';
import { createTeamService, type TeamDependencies } from './team/team.service.ts';

export interface OpenMembersOptions {
  database: Database;
  workspaces: WorkspaceService;
  box: SecretBox;
  limits: Pick<RequestLimits, 'countSignIn' | 'countBadLink' | 'countPasswordCheck' | 'countInvitationMail'>;
  sendMail: SendMail | undefined;
  noteChange: NoteChange;
  holdingKinds: HoldingKinds;
  onRevoked: TeamDependencies['onRevoked'];
  publicUrl: string;
  clock: Clock;
  log: Log;
}

export type OpenedMembers = ReturnType<typeof openMembers>;

/** People, their sessions and their roles in workspaces. */
export function openMembers(options: OpenMembersOptions) {
  const { database, box, publicUrl, clock, log } = options;
  // A change of the encryption key signs everybody out.
  const secret = box.keyedHash('console sessions').toString('base64url');
  const { keyedHash } = box;
  const isSecure = publicUrl.startsWith('https:');
  const knownBrowsers = createKnownBrowsers({ keyedHash, isSecure, clock });
  const identity = createIdentity({ database, publicUrl, secret, knownBrowsers, log });
  const watch = createMemberWatch();
  const shared = {
    ...options,
    identity,
    knownBrowsers,
    watch,
    holdings: createHoldings(options.holdingKinds),
  };
  return {
    service: createMemberService(shared),
    routes: {
      accounts: createAccountService(shared),
      team: createTeamService(shared),
      invitations: createInvitationService(shared),
    },
    notifications: { [membersChannel]: watch.hear },
    setListening: watch.setListening,
    /** Deletes sessions and links that have expired. */
    sweep: () => memberStore.deleteExpiredAcrossWorkspaces(database.acrossWorkspaces, clock.now()),
  };
}
