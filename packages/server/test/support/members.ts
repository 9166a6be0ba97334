import { randomUUID } from 'node:crypto';
import type { Role } from '@svc/contract/roles';
import { hashPassword } from 'better-auth/crypto';
import { newId } from '../../src/lib/new-id.ts';
import { memberStore } from '../../src/members/members.store.ts';
import { createWorkspaceService } from '../../src/workspaces/workspaces.service.ts';
import { type Call, createCall, type TestApp } from './test-app.ts';

export const memberPassword = 'correct horse battery';

export interface Member {
  id: string;
  name: string;
  email: string;
  workspaceId: string;
  /** The cookie of their session, as a browser sends it. */
  cookie: string;
  /** Calls operations as the console does, with the session instead of a key. */
  call: Call;
}

export interface NewMember {
  role: Role;
  name?: string;
  email?: string;
  /** The default workspace if it is left out. */
  workspaceId?: string;
}

type Place = Pick<TestApp, 'url' | 'database'>;

/** A member of a workspace with a session. Most tests need no invitation for that. */
export async function makeMember(place: Place, { role, ...given }: NewMember): Promise<Member> {
  const password = await hashPassword(memberPassword);
  const workspaceId = given.workspaceId ?? (await defaultWorkspace(place));
  const { name = 'Ada Lovelace', email = `${role}-${randomUUID()}@example.com` } = given;
  const id = newId();
  await place.database.acrossWorkspaces.transaction(async (tx) => {
    await memberStore.insertUserAcrossWorkspaces(tx, { id, name, email }, password);
    await memberStore.insert(tx, workspaceId, id, role);
  });
  const cookie = await signIn(place.url, email);
  const call = callAs(place.url, cookie, workspaceId);
  return { id, name, email, workspaceId, cookie, call };
}

export async function signIn(url: string, email: string, password = memberPassword): Promise<string> {
  const answer = await fetch(`${url}/api/console/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url, 'x-svc-console': '1' },
    body: JSON.stringify({ email, password }),
  });
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0];
  if (!cookie) throw new Error(`Signing in failed: ${answer.status} ${await answer.text()}`);
  return cookie;
}

/** `call` with a session and the headers that the console sends. */
export function callAs(url: string, cookie: string, workspaceId: string): Call {
  const call = createCall(url, '');
  return (operation, { headers, ...options } = {}) =>
    call(operation, {
      key: null,
      ...options,
      headers: { cookie, origin: url, 'x-svc-workspace': workspaceId, ...headers },
    });
}

async function defaultWorkspace({ database }: Place): Promise<string> {
  return (await createWorkspaceService({ database }).list())[0]?.id ?? '';
}
