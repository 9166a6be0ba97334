import pg from 'pg';
import { errorCode } from '../lib/error-code.ts';
import type { Queryable } from './database.ts';
import { workspaceRole, workspaceSetting } from './workspace-statement.ts';

/**
 * Without "is true" the planner could read an index for it: a plan made while a table was empty then reads the whole workspace
 * each time, even to find one id.
 */
const ownRows = `(workspace_id = current_setting('${workspaceSetting}')::uuid) is true`;

/** Whose rows a table holds, for tables that do not say it in a column `workspace_id`. */
const conditions: Record<string, string> = {
  'public.workspaces': `id = current_setting('${workspaceSetting}')::uuid`,
  // Only those of the sources that the statement can see.
  'public.knowledge_files':
    'exists (select from knowledge where knowledge.id = knowledge_files.knowledge_id)',
  // pg-boss names one or the other.
  'pgboss.job': `data ->> 'workspaceId' = current_setting('${workspaceSetting}')`,
  'pgboss.job_common': `data ->> 'workspaceId' = current_setting('${workspaceSetting}')`,
};

/** What statements of a workspace may read in tables that belong to no workspace. On all others they have no rights. */
const readableColumns: Record<string, string> = {
  // Also of former members: their names are shown with what they did.
  'public.users': '(id, name, email)',
  'public.nodes': '',
  'pgboss.queue': '',
};

/**
 * The second line of defense behind the conditions of our statements: PostgreSQL itself shows a statement of a workspace
 * no other rows. Every table with a workspace gets a policy, also one that a later migration adds, and gets it back if it was
 * changed. The owner of the tables, as which statements across workspaces run, sees all of them. Safe to repeat.
 */
export async function secureRows(client: pg.ClientBase): Promise<void> {
  await requireWorkspaceRole(client);
  await client.query(securing);
}

/** Creates the role as which statements of a workspace run, if need be. Throws if this user may neither create nor use it. */
export async function requireWorkspaceRole(client: pg.ClientBase): Promise<void> {
  await client.query(creatingRole);
  try {
    await client.query(`begin; set local role ${workspaceRole}; rollback`);
  } catch (error) {
    await client.query('rollback');
    if (errorCode(error) !== '42501' && errorCode(error) !== '22023') throw error;
    throw new Error(
      `The PostgreSQL user may not act as the role ${workspaceRole}, which keeps workspaces apart. Let an administrator run: create role ${workspaceRole}; grant ${workspaceRole} to USER;`,
      { cause: error },
    );
  }
}

/** The same for the tables of pg-boss, which it creates after the migrations. */
export async function secureJobs(query: Queryable): Promise<void> {
  await query.raw(securing);
}

/** An arbitrary fixed number: PostgreSQL refuses concurrent changes of the same rights, and several nodes may start together. */
const securingLock = 7_310_422_020;

/** Stored with a policy: what it was created with and how PostgreSQL printed that. It differs when either is no longer the same. */
const descriptionOf = (table: string) =>
  `${table}.condition || ' => ' || pg_get_expr(policies.polqual, policies.polrelid)`;

const creatingRole = `
do $$
begin
  perform pg_advisory_xact_lock(${securingLock});
  if not exists (select from pg_roles where rolname = '${workspaceRole}') then
    begin
      create role ${workspaceRole} nologin;
    exception
      -- Another database of the same server was faster, or an administrator has to do it.
      when duplicate_object or unique_violation or insufficient_privilege then null;
    end;
  end if;
  begin
    if not (select rolsuper from pg_roles where rolname = current_user) then grant ${workspaceRole} to current_user; end if;
  exception
    when insufficient_privilege or undefined_object then null;
  end;
end $$`;

const securing = `
do $$
declare
  owned record;
  policy name;
  shared record;
begin
  perform pg_advisory_xact_lock(${securingLock});
  for owned in
    with found as (
      select tables.oid, tables.relrowsecurity and tables.relforcerowsecurity as is_forced,
        format('%I.%I', schemas.nspname, tables.relname) as name,
        coalesce(conditions.condition, ${pg.escapeLiteral(ownRows)}) as condition
      from pg_class tables join pg_namespace schemas on schemas.oid = tables.relnamespace
      left join (values ${valuesOf(conditions)}) conditions (name, condition)
        on conditions.name = schemas.nspname || '.' || tables.relname
      where tables.relkind in ('r', 'p') and (conditions.name is not null or schemas.nspname = 'public' and exists (
        select from pg_attribute columns
        where columns.attrelid = tables.oid and columns.attname = 'workspace_id' and not columns.attisdropped))
    )
    select * from found
    where not is_forced or 2 <> (select count(*) from pg_policy policies where policies.polrelid = found.oid)
      or 2 <> (
        select count(*) from pg_policy policies
        where policies.polrelid = found.oid and policies.polcmd = '*' and policies.polwithcheck is null and (
          policies.polname = 'rows_of_workspace' and policies.polroles = array['${workspaceRole}'::regrole::oid]
            and obj_description(policies.oid, 'pg_policy') = ${descriptionOf('found')}
          or policies.polname = 'all_rows' and policies.polroles = array[current_user::regrole::oid]))
  loop
    execute format('alter table %s enable row level security, force row level security', owned.name);
    for policy in select polname from pg_policy where polrelid = owned.oid loop
      execute format('drop policy %I on %s', policy, owned.name);
    end loop;
    execute format('create policy rows_of_workspace on %s to ${workspaceRole} using (%s)', owned.name, owned.condition);
    execute format('create policy all_rows on %s to current_user using (true)', owned.name);
    execute (
      select format('comment on policy rows_of_workspace on %s is %L', owned.name, ${descriptionOf('owned')})
      from pg_policy policies where policies.polrelid = owned.oid and policies.polname = 'rows_of_workspace');
    execute format('grant select, insert, update, delete on %s to ${workspaceRole}', owned.name);
    -- One table at a time: with the locks of several, statements of other nodes could end in a deadlock.
    commit;
    perform pg_advisory_xact_lock(${securingLock});
  end loop;

  grant usage on schema public to ${workspaceRole};
  for shared in
    select tables.oid::regclass as name, tables.relnamespace::regnamespace as schema, readable.columns
    from (values ${valuesOf(readableColumns)}) readable (name, columns)
    join pg_class tables on tables.oid = to_regclass(readable.name)
  loop
    if has_table_privilege('${workspaceRole}', shared.name, 'select') and shared.columns <> '' then
      execute format('revoke select on %s from ${workspaceRole}', shared.name);
    end if;
    execute format('grant usage on schema %s to ${workspaceRole}', shared.schema);
    execute format('grant select %s on %s to ${workspaceRole}', shared.columns, shared.name);
  end loop;
end $$`;

function valuesOf(entries: Record<string, string>): string {
  return Object.entries(entries)
    .map(([name, value]) => `(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)})`)
    .join(', ');
}
