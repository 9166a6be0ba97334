import type { Queryable } from '../database/database.ts';
import { and, eq, inArray, sql } from '../database/drizzle.ts';
import { lostAfter, nodeCommands, nodes } from './nodes.tables.ts';
import { nodeLost } from './presence.ts';

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

  /** The oldest commands for a node, in their order. */
  listAcrossWorkspaces(query: Queryable, nodeId: string, limit: number) {
    const { id, payload, toNode } = nodeCommands;
    return query
      .select({ id, payload })
      .from(nodeCommands)
      .where(eq(toNode, nodeId))
      .orderBy(id)
      .limit(limit);
  },

  async deleteAcrossWorkspaces(query: Queryable, ids: readonly number[]): Promise<void> {
    await query.delete(nodeCommands).where(inArray(nodeCommands.id, ids));
  },

  /** Removes what nodes that are lost have left. */
  async deleteLeftAcrossWorkspaces(query: Queryable): Promise<void> {
    const isOld = sql`${nodeCommands.createdAt} < now() - interval '10 minutes'`;
    await query.delete(nodeCommands).where(and(isOld, nodeLost(nodeCommands.toNode)));
  },
};
