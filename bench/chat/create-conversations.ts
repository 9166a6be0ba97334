import type { Pace, Service } from './stage.ts';

/** Empty ones of the known user. */
export async function createConversations(
  { sql, bot }: Service,
  pace: Pace,
  count: number,
): Promise<string[]> {
  const rows = await sql<{ id: string }>(
    `insert into conversations (id, workspace_id, bot_id, channel, external_user_id, title)
    select gen_random_uuid(), workspace_id, id, 'chat', 'customer-17', 'Idle'
    from bots, generate_series(1, $2) where id = $1 returning id`,
    [bot[pace], count],
  );
  return rows.map(({ id }) => id);
}
