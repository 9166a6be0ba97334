import { describe, expect, it } from 'vitest';
import { drizzle, pgTable, sql, uuid } from './drizzle.ts';

const bots = pgTable('bots', { id: uuid().notNull(), workspaceId: uuid('workspace_id').notNull() });
const name = sql<string>`(select name from tools where workspace_id = ${bots.workspaceId})`;
const correlated = '(select name from tools where workspace_id = "bots"."workspace_id")';

/** Unqualified, the column would be that of `tools`, and the condition always true. */
describe('a column in sql', () => {
  const query = drizzle.mock();

  it('keeps the name of its table in the selection of a single table', () => {
    expect(query.select({ name }).from(bots).toSQL().sql).toBe(`select ${correlated} from "bots"`);
    expect(
      query
        .select({ name: name.as('tool') })
        .from(bots)
        .toSQL().sql,
    ).toContain(correlated);
  });

  it('keeps it in what a change returns', () => {
    const returned = [
      query.insert(bots).values({ id: 'x', workspaceId: 'y' }).returning({ name }),
      query.update(bots).set({ id: 'x' }).returning({ name }),
      query.delete(bots).returning({ name }),
    ];
    for (const change of returned) expect(change.toSQL().sql).toContain(`returning ${correlated}`);
  });

  it('leaves values and the other functions of sql as they are', () => {
    const condition = sql`${bots.id} = ${'x'} or ${sql.raw('true')} or ${sql.join([bots.id, sql`1`], sql`, `)}`;
    expect(query.select().from(bots).where(condition).toSQL()).toEqual({
      sql: 'select "id", "workspace_id" from "bots" where "bots"."id" = $1 or true or "bots"."id", 1',
      params: ['x'],
    });
  });
});
