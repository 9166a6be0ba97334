import { createWatchers } from '../lib/watchers.ts';
import type { Feature, Services } from '../services.ts';
import { accountRoutes } from './accounts/accounts.routes.ts';
import { createAccountService } from './accounts/accounts.service.ts';
import { createIdentity } from './identity/identity.ts';
import { createKnownBrowsers } from './identity/known-browsers.ts';
import { invitationRoutes } from './invitations/invitations.routes.ts';
import { createInvitationService } from './invitations/invitations.service.ts';
import { memberRoutes } from './members.routes.ts';
import { createMemberService, membersChannel } from './members.service.ts';
import { memberStore } from './members.store.ts';
import { createHoldings, type HoldingKinds } from './team/holdings.ts';
import { teamRoutes } from './team/team.routes.ts';
import { createTeamService, type TeamDependencies } from './team/team.service.ts';

export interface OpenMembersOptions
  extends Pick<
    Services,
    'box' | 'clock' | 'database' | 'limits' | 'log' | 'noteChange' | 'publicUrl' | 'sendMail' | 'workspaces'
  > {
  holdingKinds: HoldingKinds;
  onRevoked: TeamDependencies['onRevoked'];
}

/** People, their sessions and their roles in workspaces. */
export function openMembers(
  options: OpenMembersOptions,
): Feature<Pick<Services, 'accounts' | 'invitations' | 'members' | 'team'>> {
  const { database, box, publicUrl, clock, log } = options;
  // A change of the encryption key signs everybody out.
  const secret = box.keyedHash('console sessions').toString('base64url');
  const { keyedHash } = box;
  const isSecure = publicUrl.startsWith('https:');
  const knownBrowsers = createKnownBrowsers({ keyedHash, isSecure, clock });
  const identity = createIdentity({ database, publicUrl, secret, knownBrowsers, log });
  const watchers = createWatchers();
  const shared = {
    ...options,
    identity,
    knownBrowsers,
    watchers,
    holdings: createHoldings(options.holdingKinds),
  };
  return {
    services: {
      members: createMemberService(shared),
      accounts: createAccountService(shared),
      team: createTeamService(shared),
      invitations: createInvitationService(shared),
    },
    routes: [memberRoutes, accountRoutes, teamRoutes, invitationRoutes],
    notifications: { [membersChannel]: watchers.notify },
    /** After a reconnect, every person may have changed. */
    setListening(isListening: boolean): void {
      if (isListening) watchers.notifyAll();
    },
    rounds: [
      {
        name: 'expired sessions and links',
        everyMilliseconds: 600_000,
        work: () => memberStore.deleteExpiredAcrossWorkspaces(database.acrossWorkspaces, clock.now()),
      },
    ],
  };
}
