import type pg from 'pg';
import { errorCode } from '../error-code.ts';
import type { Statements } from './database.ts';
import { workspaceRole, workspaceSetting } from './workspace-statement.ts';

/** Whose rows a table holds, for tables that do not say it in a column `workspace_id`. */
const conditions: Record<string, string> = {
  workspaces: `id = current_setting('${workspaceSetting}')::uuid`,
  // Only those of the sources that the statement can see.
  knowledge_files: 'exists (select from knowledge where knowledge.id = knowledge_files.knowledge_id)',
};

/** What statements of a workspace may do with tables that belong to no workspace. On all others they have no rights. */
const grantsOnSharedTables: Record<string, string> = {
  users: 'select',
  nodes: 'select',
};

/**
 * The second line of defense behind the conditions of our statements: PostgreSQL itself shows a statement of a workspace
 * no other rows. Every table with a workspace gets a policy, also one that a later migration adds. The owner of the tables, as
 * which statements across workspaces run, sees all of them. Safe to repeat.
 */
export async function secureRows(client: pg.ClientBase): Promise<void> {
  await client.query(securing);
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

/** For the tables of a library: statements of a workspace may use them. Safe when several nodes start together. */
export async function openToWorkspaces(statements: Statements, schema: string): Promise<void> {
  await statements.transaction(async (tx) => {
    await tx.raw(`select pg_advisory_xact_lock(${grantLock})`);
    await tx.raw(`grant usage on schema ${schema} to ${workspaceRole}`);
    await tx.raw(
      `grant select, insert, update, delete on all tables in schema ${schema} to ${workspaceRole}`,
    );
  });
}

/** An arbitrary fixed number: PostgreSQL refuses concurrent changes of the same rights. */
const grantLock = 7_310_422_020;

const securing = `
do $$
declare
  owned record;
begin
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
  if not exists (select from pg_roles where rolname = '${workspaceRole}') then return; end if;

  for owned in
    -- "is true" keeps the planner from reading an index for it: a plan made while tables were empty would read the whole workspace.
    select tables.oid, tables.relname as name, coalesce(
      conditions.condition, '(workspace_id = current_setting(''${workspaceSetting}'')::uuid) is true') as condition
    from pg_class tables
    left join (values ${valuesOf(conditions)}) conditions (name, condition) on conditions.name = tables.relname
    where tables.relnamespace = 'public'::regnamespace and tables.relkind in ('r', 'p')
      and (conditions.name is not null or exists (
        select from pg_attribute columns
        where columns.attrelid = tables.oid and columns.attname = 'workspace_id' and not columns.attisdropped))
      and not (tables.relrowsecurity and tables.relforcerowsecurity and 2 = (
        select count(*) from pg_policy policies
        where policies.polrelid = tables.oid and (
          policies.polname = 'rows_of_workspace' and policies.polroles = array['${workspaceRole}'::regrole::oid]
          or policies.polname = 'all_rows' and policies.polroles = array[current_user::regrole::oid])))
  loop
    execute format('alter table %I enable row level security, force row level security', owned.name);
    execute format('drop policy if exists rows_of_workspace on %I', owned.name);
    execute format('drop policy if exists all_rows on %I', owned.name);
    execute format('create policy rows_of_workspace on %I to ${workspaceRole} using (%s)', owned.name, owned.condition);
    execute format('create policy all_rows on %I to current_user using (true)', owned.name);
    execute format('grant select, insert, update, delete on %I to ${workspaceRole}', owned.name);
  end loop;
  grant usage on schema public to ${workspaceRole};
  ${Object.entries(grantsOnSharedTables)
    .map(([table, rights]) => `grant ${rights} on ${table} to ${workspaceRole};`)
    .join('\n  ')}
end $$`;

function valuesOf(entries: Record<string, string>): string {
  return Object.entries(entries)
    .map(([name, value]) => `('${name}', '${value.replaceAll("'", "''")}')`)
    .join(', ');
}
