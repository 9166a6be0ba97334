import type { Queryable, Transaction } from '../database/database.ts';
import { and, asc, eq, getTableColumns, inArray, sql } from '../database/drizzle.ts';
import { type ListCursor, listPage, type PagePart, rowBytes } from '../database/list-page.ts';
import type { Wrapped } from '../secrets/secret-box.ts';
import { toolAssignments, toolSecrets, tools } from './tools.tables.ts';

export type ToolRow = typeof tools.$inferSelect;
export type NewTool = Omit<typeof tools.$inferInsert, 'workspaceId'>;
export type ToolChange = Partial<
  Pick<ToolRow, 'name' | 'description' | 'configuration' | 'isActive' | 'isDefault' | 'presetId' | 'metadata'>
>;
export type SecretRow = typeof toolSecrets.$inferSelect;
export interface StoredTool {
  row: ToolRow;
  secrets: SecretRow[];
}
export type AssignmentRow = typeof toolAssignments.$inferSelect;
export type NewAssignment = Omit<AssignmentRow, 'workspaceId' | 'botId' | 'position'>;

export const toolStore = {
  async insert(tx: Transaction, workspaceId: string, tool: NewTool): Promise<void> {
    await tx.insert(tools).values({ ...tool, workspaceId });
  },

  /** Oldest first; `metadata` selects the tools that have all of its values. */
  listPage(
    query: Queryable,
    workspaceId: string,
    metadata: Record<string, string>,
    after: ListCursor | undefined,
  ): Promise<(ToolRow & PagePart)[]> {
    const filter =
      Object.keys(metadata).length > 0
        ? sql`${tools.metadata} @> ${JSON.stringify(metadata)}::jsonb`
        : undefined;
    const { page, isOnPage, part } = listPage(tools, {
      order: [tools.createdAt, tools.id],
      filter: and(eq(tools.workspaceId, workspaceId), filter),
      after,
      bytes: rowBytes([tools.name, tools.description], [tools.configuration, tools.metadata]),
    });
    return query
      .select({ ...getTableColumns(tools), ...part })
      .from(tools)
      .innerJoin(page, isOnPage)
      .orderBy(asc(tools.createdAt), asc(tools.id));
  },

  findMany(query: Queryable, workspaceId: string, toolIds: string[]): Promise<ToolRow[]> {
    return query
      .select()
      .from(tools)
      .where(and(eq(tools.workspaceId, workspaceId), inArray(tools.id, toolIds)));
  },

  /**
   * Tools with their secrets, in one statement: with two, a change committed in between could pair an old configuration with
   * new secrets, and send a new secret to an old address.
   */
  async findWithSecrets(query: Queryable, workspaceId: string, toolIds: string[]): Promise<StoredTool[]> {
    const joined = await query
      .select({ row: tools, secret: toolSecrets })
      .from(tools)
      .leftJoin(
        toolSecrets,
        and(eq(toolSecrets.toolId, tools.id), eq(toolSecrets.workspaceId, tools.workspaceId)),
      )
      .where(and(eq(tools.workspaceId, workspaceId), inArray(tools.id, toolIds)))
      .orderBy(asc(tools.id), asc(toolSecrets.field));
    const found = new Map<string, StoredTool>();
    for (const { row, secret } of joined) {
      const one = found.get(row.id) ?? { row, secrets: [] };
      if (secret) one.secrets.push(secret);
      found.set(row.id, one);
    }
    return [...found.values()];
  },

  /** The tools with these ids that exist; they cannot be deleted until the transaction ends. */
  lockAgainstDeletion(tx: Transaction, workspaceId: string, toolIds: string[]): Promise<ToolRow[]> {
    return tx
      .select()
      .from(tools)
      .where(and(eq(tools.workspaceId, workspaceId), inArray(tools.id, toolIds)))
      .for('key share');
  },

  /** The tools that new bots get, oldest first; they cannot be deleted until the transaction ends. */
  lockDefaults(
    tx: Transaction,
    workspaceId: string,
    limit: number,
  ): Promise<Pick<ToolRow, 'id' | 'toolType'>[]> {
    return tx
      .select({ id: tools.id, toolType: tools.toolType })
      .from(tools)
      .where(and(eq(tools.workspaceId, workspaceId), eq(tools.isDefault, true), eq(tools.isActive, true)))
      .orderBy(asc(tools.createdAt), asc(tools.id))
      .limit(limit)
      .for('key share');
  },

  async lock(tx: Transaction, workspaceId: string, toolId: string): Promise<ToolRow | undefined> {
    const rows = await tx.select().from(tools).where(inWorkspace(workspaceId, toolId)).for('update');
    return rows[0];
  },

  async update(tx: Transaction, workspaceId: string, toolId: string, change: ToolChange): Promise<void> {
    await tx
      .update(tools)
      .set({ ...change, updatedAt: sql`now()` })
      .where(inWorkspace(workspaceId, toolId));
  },

  /** False when there is no such tool. */
  async delete(query: Queryable, workspaceId: string, toolId: string): Promise<boolean> {
    const rows = await query
      .delete(tools)
      .where(inWorkspace(workspaceId, toolId))
      .returning({ id: tools.id });
    return rows.length > 0;
  },

  /** The names of the secrets that tools have, not their values. */
  listSecretFields(query: Queryable, workspaceId: string, toolIds: string[]) {
    const { toolId, field } = toolSecrets;
    return query
      .select({ toolId, field })
      .from(toolSecrets)
      .where(and(eq(toolSecrets.workspaceId, workspaceId), inArray(toolId, toolIds)))
      .orderBy(asc(field));
  },

  listSecrets(query: Queryable, workspaceId: string, toolIds: string[]): Promise<SecretRow[]> {
    return query
      .select()
      .from(toolSecrets)
      .where(and(eq(toolSecrets.workspaceId, workspaceId), inArray(toolSecrets.toolId, toolIds)))
      .orderBy(asc(toolSecrets.field));
  },

  async putSecret(
    tx: Transaction,
    workspaceId: string,
    place: { toolId: string; field: string },
    secret: Wrapped,
  ): Promise<void> {
    await tx
      .insert(toolSecrets)
      .values({ ...place, workspaceId, ...secret })
      .onConflictDoUpdate({
        target: [toolSecrets.toolId, toolSecrets.field],
        set: { ...secret, updatedAt: sql`now()` },
      });
  },

  async deleteSecret(tx: Transaction, workspaceId: string, toolId: string, field: string): Promise<void> {
    await tx
      .delete(toolSecrets)
      .where(
        and(
          eq(toolSecrets.workspaceId, workspaceId),
          eq(toolSecrets.toolId, toolId),
          eq(toolSecrets.field, field),
        ),
      );
  },

  /** Every secret of every workspace, locked for rotation. */
  lockSecretsAcrossWorkspaces(tx: Transaction): Promise<SecretRow[]> {
    return tx.select().from(toolSecrets).for('update');
  },

  /** In the order of assignment. */
  listAssignments(query: Queryable, workspaceId: string, botId: string): Promise<AssignmentRow[]> {
    const statement = query.compiled('tools.assignments', () =>
      query
        .select()
        .from(toolAssignments)
        .where(
          and(
            eq(toolAssignments.botId, sql.placeholder('botId')),
            eq(toolAssignments.workspaceId, sql.placeholder('workspaceId')),
          ),
        )
        .orderBy(asc(toolAssignments.position)),
    );
    return statement.execute({ workspaceId, botId });
  },

  /** In a fixed order, so that transactions lock several bots in the same order. */
  async listBotsWithTool(query: Queryable, workspaceId: string, toolId: string): Promise<string[]> {
    const { botId, toolConfigurationId } = toolAssignments;
    const rows = await query
      .select({ botId })
      .from(toolAssignments)
      .where(and(eq(toolAssignments.workspaceId, workspaceId), eq(toolConfigurationId, toolId)))
      .groupBy(botId)
      .orderBy(asc(botId));
    return rows.map((row) => row.botId);
  },

  /** The assigned tools of these types that these bots have, active or not, with their configurations. */
  listOfTypes(query: Queryable, workspaceId: string, botIds: string[], types: string[]) {
    const { botId, toolType, toolConfigurationId } = toolAssignments;
    return query
      .select({ botId, toolType, configuration: tools.configuration })
      .from(toolAssignments)
      .leftJoin(tools, eq(tools.id, toolConfigurationId))
      .where(
        and(eq(toolAssignments.workspaceId, workspaceId), inArray(botId, botIds), inArray(toolType, types)),
      );
  },

  /** Replaces all assignments of the bot. */
  async replaceAssignments(
    tx: Transaction,
    workspaceId: string,
    botId: string,
    assignments: NewAssignment[],
  ): Promise<void> {
    await tx
      .delete(toolAssignments)
      .where(and(eq(toolAssignments.workspaceId, workspaceId), eq(toolAssignments.botId, botId)));
    if (assignments.length === 0) return;
    await tx
      .insert(toolAssignments)
      .values(assignments.map((assignment, position) => ({ ...assignment, workspaceId, botId, position })));
  },
};

function inWorkspace(workspaceId: string, toolId: string) {
  return and(eq(tools.id, toolId), eq(tools.workspaceId, workspaceId));
}
