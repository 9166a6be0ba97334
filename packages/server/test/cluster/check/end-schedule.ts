import { createClient } from '../load/client.ts';
import { countOpen } from './come-to-rest.ts';
import { holds, type Probe } from './watched-turn.ts';

/** A run that the schedule starts while the database is read would be found open. */
export async function endSchedule({ stage, prepared, history }: Probe): Promise<void> {
  const client = createClient(history, { url: stage.balancer.url, key: stage.key });
  const reply = await client.call(`PUT /api/v1/bots/${prepared.scheduledId}`, { body: { schedule: null } });
  if (reply?.status !== 200) {
    history.find({ what: `ending the schedule was answered ${reply?.status}`, ids: [prepared.scheduledId] });
  }
  await holds(async () => (await countOpen(stage)) === 0);
}
