import type { Queryable } from '../../../database/database.ts';
import { sql } from '../../../database/drizzle.ts';
import { nodes } from '../../../nodes/nodes.tables.ts';
import { machineMessages } from '../../machines.tables.ts';

/** PostgreSQL's notifications that a node has mail. The payload is the node's id. */
export const mailChannel = 'svc_machine_mail';

export interface Posted {
  toNode: string;
  /** JSON. */
  payload: string;
}

/** Nodes exchange frames of machines in all workspaces. */
export const mailStore = {
  /** Stores messages in their order and notifies the nodes that they are for; those to nodes that are gone are dropped. */
  async postAcrossWorkspaces(query: Queryable, messages: readonly Posted[]): Promise<void> {
    const recipients = sql.param(messages.map(({ toNode }) => toNode));
    const payloads = sql.param(messages.map(({ payload }) => payload));
    await query.execute(sql`
      with posted as (
        insert into ${machineMessages} (to_node, payload)
        select to_node, payload::json
        from unnest(${recipients}::uuid[], ${payloads}::text[]) with ordinality as message (to_node, payload, position)
        where exists (select 1 from ${nodes} where ${nodes.id} = message.to_node)
        order by position
        returning to_node
      )
      select pg_notify(${mailChannel}, to_node::text) from (select distinct to_node from posted) as recipient`);
  },

  /** Takes the oldest messages to a node, in their order. */
  async takeAcrossWorkspaces(query: Queryable, nodeId: string, limit: number): Promise<unknown[]> {
    const { rows } = await query.execute<{ payload: unknown }>(sql`
      with taken as (
        delete from ${machineMessages}
        where id in (select id from ${machineMessages} where to_node = ${nodeId} order by id limit ${limit})
        returning id, payload
      )
      select payload from taken order by id`);
    return rows.map(({ payload }) => payload);
  },

  /** Removes what nodes that have died left unread. */
  async deleteOldAcrossWorkspaces(query: Queryable): Promise<void> {
    await query.execute(sql`delete from ${machineMessages} where created_at < now() - interval '10 minutes'`);
  },
};
