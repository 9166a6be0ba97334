import type { Queryable, Transaction } from '../../database/database.ts';
import { and, asc, eq, getTableColumns, inArray, sql } from '../../database/drizzle.ts';
import { type ListCursor, listPage, type PagePart, rowBytes } from '../../database/list-page.ts';
import { voiceNumberAssignments, voiceNumbers } from './phone-numbers.tables.ts';

export type VoiceNumberRow = typeof voiceNumbers.$inferSelect;
export type AssignmentRow = typeof voiceNumberAssignments.$inferSelect;
export type NewVoiceNumber = Omit<typeof voiceNumbers.$inferInsert, 'workspaceId'>;
export type VoiceNumberChange = Partial<Omit<VoiceNumberRow, 'id' | 'workspaceId' | 'phoneNumber'>>;

export const voiceNumberStore = {
  async insert(tx: Transaction, workspaceId: string, number: NewVoiceNumber): Promise<void> {
    await tx.insert(voiceNumbers).values({ ...number, workspaceId });
  },

  /** Oldest first; `metadata` keeps those that carry all of its values. */
  listPage(
    query: Queryable,
    workspaceId: string,
    metadata: Record<string, string>,
    after: ListCursor | undefined,
  ): Promise<(VoiceNumberRow & PagePart)[]> {
    const filter =
      Object.keys(metadata).length > 0
        ? sql`${voiceNumbers.metadata} @> ${JSON.stringify(metadata)}::jsonb`
        : undefined;
    const { page, isOnPage, part } = listPage(voiceNumbers, {
      order: [voiceNumbers.createdAt, voiceNumbers.id],
      filter: and(eq(voiceNumbers.workspaceId, workspaceId), filter),
      after,
      bytes: rowBytes(
        [voiceNumbers.phoneNumber, voiceNumbers.greeting, voiceNumbers.ttsVoice],
        [voiceNumbers.metadata],
      ),
    });
    return query
      .select({ ...getTableColumns(voiceNumbers), ...part })
      .from(voiceNumbers)
      .innerJoin(page, isOnPage)
      .orderBy(asc(voiceNumbers.createdAt), asc(voiceNumbers.id));
  },

  async find(query: Queryable, workspaceId: string, id: string): Promise<VoiceNumberRow | undefined> {
    return (await query.select().from(voiceNumbers).where(inWorkspace(workspaceId, id)))[0];
  },

  async lock(tx: Transaction, workspaceId: string, id: string): Promise<VoiceNumberRow | undefined> {
    return (await tx.select().from(voiceNumbers).where(inWorkspace(workspaceId, id)).for('update'))[0];
  },

  /** The number that a bot calls from. */
  async findPrimary(
    query: Queryable,
    workspaceId: string,
    botId: string,
  ): Promise<VoiceNumberRow | undefined> {
    const isPrimary = and(
      eq(voiceNumbers.workspaceId, workspaceId),
      eq(voiceNumbers.botId, botId),
      eq(voiceNumbers.isOutboundPrimary, true),
    );
    return (await query.select().from(voiceNumbers).where(isPrimary))[0];
  },

  /** Until the transaction ends, no other transaction can register this number, in either form. */
  async lockPhoneAcrossWorkspaces(tx: Transaction, phoneNumber: string): Promise<void> {
    const name = `voice number ${digitsOf(phoneNumber)}`;
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`);
  },

  /** Networks name the same number with or without a plus. */
  async findByPhoneAcrossWorkspaces(
    query: Queryable,
    phoneNumber: string,
  ): Promise<VoiceNumberRow | undefined> {
    const digits = digitsOf(phoneNumber);
    const isSame = inArray(voiceNumbers.phoneNumber, [digits, `+${digits}`]);
    return (await query.select().from(voiceNumbers).where(isSame))[0];
  },

  async update(tx: Transaction, workspaceId: string, id: string, change: VoiceNumberChange): Promise<void> {
    await tx
      .update(voiceNumbers)
      .set({ ...change, updatedAt: sql`now()` })
      .where(inWorkspace(workspaceId, id));
  },

  async delete(tx: Transaction, workspaceId: string, id: string): Promise<void> {
    await tx.delete(voiceNumbers).where(inWorkspace(workspaceId, id));
  },

  /** The workspace that a number is assigned to, if any. */
  async assigneeOfAcrossWorkspaces(query: Queryable, phoneNumber: string): Promise<string | undefined> {
    const isSame = eq(voiceNumberAssignments.digits, digitsOf(phoneNumber));
    const rows = await query.select().from(voiceNumberAssignments).where(isSame);
    return rows[0]?.workspaceId;
  },

  async assign(tx: Transaction, workspaceId: string, phoneNumber: string): Promise<void> {
    await tx
      .insert(voiceNumberAssignments)
      .values({ digits: digitsOf(phoneNumber), workspaceId, phoneNumber })
      .onConflictDoUpdate({
        target: voiceNumberAssignments.digits,
        set: { workspaceId, phoneNumber, createdAt: sql`now()` },
      });
  },

  async unassign(tx: Transaction, workspaceId: string, phoneNumber: string): Promise<void> {
    const isOne = and(
      eq(voiceNumberAssignments.digits, digitsOf(phoneNumber)),
      eq(voiceNumberAssignments.workspaceId, workspaceId),
    );
    await tx.delete(voiceNumberAssignments).where(isOne);
  },

  /** The numbers of a workspace, and whether a bot answers them. */
  listAssigned(query: Queryable, workspaceId: string): Promise<(AssignmentRow & { isUsed: boolean })[]> {
    return assignments(query).where(eq(voiceNumberAssignments.workspaceId, workspaceId));
  },

  listAssignedAcrossWorkspaces(query: Queryable): Promise<(AssignmentRow & { isUsed: boolean })[]> {
    return assignments(query);
  },
};

function assignments(query: Queryable) {
  const { digits, workspaceId } = voiceNumberAssignments;
  const isUsed = and(
    eq(voiceNumbers.workspaceId, workspaceId),
    sql`${voiceNumbers.phoneNumber} in (${digits}, '+' || ${digits})`,
  );
  return query
    .select({
      ...getTableColumns(voiceNumberAssignments),
      isUsed: sql<boolean>`${voiceNumbers.id} is not null`,
    })
    .from(voiceNumberAssignments)
    .leftJoin(voiceNumbers, isUsed)
    .orderBy(asc(digits))
    .$dynamic();
}

function digitsOf(phoneNumber: string): string {
  return phoneNumber.replace(/^\+/, '');
}

function inWorkspace(workspaceId: string, id: string) {
  return and(eq(voiceNumbers.id, id), eq(voiceNumbers.workspaceId, workspaceId));
}
