import type {
  AcceptedInvitation,
  ConsoleSession,
  ConsoleWorkspace,
  InvitationAcceptance,
  InvitationConfirmation,
  OpenInvitation,
  PasswordReset,
  ProfileUpdate,
  SetUp,
  SignIn,
} from '@svc/contract/console-session';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { callConsole } from './client.ts';

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: () => callConsole<ConsoleSession>('GET', '/session'),
});

/** Reads again who is signed in, and what they may do. */
export async function refreshSession(queries: QueryClient): Promise<ConsoleSession> {
  return queries.fetchQuery({ ...sessionQuery, staleTime: 0 });
}

export const signIn = (body: SignIn) => callConsole('POST', '/sign-in', body);

export const endSession = () => callConsole('POST', '/sign-out');

export const createFirstAccount = (body: SetUp) => callConsole('POST', '/setup', body);

export const resetPassword = (body: PasswordReset) => callConsole('POST', '/reset', body);

export const updateProfile = (body: ProfileUpdate) => callConsole('PATCH', '/profile', body);

export const createWorkspace = (name: string) =>
  callConsole<ConsoleWorkspace>('POST', '/workspaces', { name });

export const openInvitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['open-invitation', token],
    queryFn: () => callConsole<OpenInvitation>('POST', '/invitation', { token }),
    enabled: token !== '',
  });

export const confirmInvitation = (body: InvitationConfirmation) =>
  callConsole('POST', '/invitation/confirm', body);

export const acceptInvitation = (body: InvitationAcceptance) =>
  callConsole<AcceptedInvitation>('POST', '/invitation/accept', body);
