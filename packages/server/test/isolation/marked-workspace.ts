import type pg from 'pg';
import { type OwnPage, openOwnPage } from '../http/own-page.ts';
import { makePerson } from '../support/end-users.ts';
import { type Member, makeMember } from '../support/members.ts';
import { createCall, type TestApp } from '../support/test-app.ts';
import { type Column, markOf } from './fill.ts';

/** In both workspaces: whoever forgets the workspace finds the other's. */
export const shared = { userId: 'customer-17', metadata: 'team', team: 'shared' };

/** A workspace whose texts all say that they are its own, and everybody who can read in it. */
export interface MarkedWorkspace {
  name: string;
  id: string;
  key: string;
  owner: Member;
  endUserToken: string;
  machineKey: string;
  page: OwnPage;
  /** The ids that operations take, by the resource that their path names. */
  ids: Record<string, string[]>;
  /** What nobody else may see, besides marks and the ids of rows. */
  secrets: string[];
}

export interface Place {
  service: TestApp;
  client: pg.Client;
  columns: readonly Column[];
}

export const [inAnHour, longAgo] = [new Date(Date.now() + 3_600_000), new Date(Date.now() - 3_600_000)];

/** Members, keys and pages: what a workspace has before anything is stored in it. */
export async function openWorkspace(
  { service, client }: Place,
  { name, id }: { name: string; id: string },
): Promise<MarkedWorkspace> {
  const key = await service.makeKey({ workspaceId: id });
  const call = createCall(service.url, key);
  const person = {
    name: markOf(name, 'users', 'name'),
    email: `${markOf(name, 'users', 'email')}@example.com`,
  };
  const owner = await makeMember(service, { role: 'owner', workspaceId: id, ...person });
  const page = await openOwnPage({ call });
  const machine = await call('POST /api/v1/machines', { body: { name: 'desk' } });
  const { token } = await makePerson({ url: service.url, key, call }, { userId: shared.userId });
  await client.query('update workspaces set name = $2 where id = $1', [
    id,
    markOf(name, 'workspaces', 'name'),
  ]);
  return {
    name,
    id,
    key,
    owner,
    page,
    endUserToken: token,
    machineKey: machine.body.token,
    ids: {},
    secrets: [key, owner.cookie, page.widgetKey, page.visitorToken, machine.body.token, token],
  };
}

/** Metadata by which the rows of both workspaces are found, and that says whose they are. */
export const metadata = (name: string, table: string) => ({
  [shared.metadata]: shared.team,
  note: markOf(name, table, 'metadata'),
});

export function add(ids: Record<string, string[]>, resource: string, ...found: string[]): void {
  ids[resource] = [...(ids[resource] ?? []), ...found];
}
