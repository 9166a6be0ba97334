import { parseUsd } from '../money.ts';
import type { TurnDependencies } from './dependencies.ts';
import { LeaseLost, type TurnLease } from './lease.ts';
import { stepReservation } from './reservation.ts';
import type { TurnState } from './state.ts';
import { turnStore } from './store.ts';

/** Sets money aside for the next model call, or throws INSUFFICIENT_BALANCE. The first was paid for at admission. */
export async function affordStep(
  lease: TurnLease,
  state: TurnState,
  dependencies: TurnDependencies,
): Promise<void> {
  const { database, workspaces, billing, models } = dependencies;
  if (!lease.isMetered || state.steps === 0) return;
  const { creditUsd } = await workspaces.get(lease.workspaceId);
  if (creditUsd === null) return;
  const model = models.resolve(state.bot.settings.model ?? models.defaultModelId());
  const latest = state.messages.at(-1)?.content ?? '';
  const amount = stepReservation(model, state.bot, latest, models);
  await database.transaction(async (tx) => {
    // What an attempt at this step set aside that a crash ended is given back first.
    const before = parseUsd(await turnStore.clearReservation(tx, lease));
    await billing.settle(tx, lease.workspaceId, before, 0n);
    await billing.reserve(tx, lease.workspaceId, creditUsd, amount);
    if (!(await turnStore.setReservation(tx, lease, amount))) throw new LeaseLost();
  });
}
