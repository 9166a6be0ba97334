import type { Queryable } from '../database/database.ts';
import { sql } from '../database/drizzle.ts';
import { lostAfter, nodeCommands, nodes } from './nodes.tables.ts';

/** PostgreSQL's notifications that a node has commands. The payload is the node's id. */
export const commandsChannel = 'svc_machine_mail';

export interface SentCommand {
  /** Null for all nodes but the one that sends it. */
  toNode: string | null;
  /** JSON. */
  payload: string;
}

/** Nodes work for all workspaces. */
export const nodeCommandStore = {
  /** Stores commands in their order and notifies the nodes that they are for; those to nodes that are gone are dropped. */
  async addAcrossWorkspaces(
    query: Queryable,
    fromNode: string,
    commands: readonly SentCommand[],
  ): Promise<void> {
    const recipients = sql.param(commands.map(({ toNode }) => toNode));
    const payloads = sql.param(commands.map(({ payload }) => payload));
    await query.execute(sql`
      with added as (
        insert into ${nodeCommands} (to_node, payload)
        select ${nodes.id}, command.payload::json
        from unnest(${recipients}::uuid[], ${payloads}::text[]) with ordinality as command (to_node, payload, position)
        join ${nodes} on ${nodes.id} = command.to_node
          or (command.to_node is null and ${nodes.id} <> ${fromNode} and ${nodes.seenAt} > now() - ${lostAfter})
        order by position
        returning to_node
      )
      select pg_notify(${commandsChannel}, to_node::text) from (select distinct to_node from added) as recipient`);
  },

  /** Takes the oldest commands for a node, in their order. */
  async takeAcrossWorkspaces(query: Queryable, nodeId: string, limit: number): Promise<unknown[]> {
    const { rows } = await query.execute<{ payload: unknown }>(sql`
      with taken as (
        delete from ${nodeCommands}
        where id in (select id from ${nodeCommands} where to_node = ${nodeId} order by id limit ${limit})
        returning id, payload
      )
      select payload from taken order by id`);
    return rows.map(({ payload }) => payload);
  },

  /** Removes what nodes that have died left untaken. */
  async deleteOldAcrossWorkspaces(query: Queryable): Promise<void> {
    await query.execute(sql`delete from ${nodeCommands} where created_at < now() - interval '10 minutes'`);
  },
};
