import type { BotRow } from '../bots/bots.service.ts';
import { titleOf } from '../conversations/conversations.service.ts';
import type { Transaction } from '../database/database.ts';
import { AppError, notFound } from '../lib/app-error.ts';
import { newId } from '../lib/new-id.ts';
import type { EvaluationDependencies } from './evaluation-dependencies.ts';
import { type CaseRow, evaluationStore } from './evaluations.store.ts';

/** Another node has advanced this case, or it is over: the write must be rolled back. */
export class Overtaken extends Error {
  constructor() {
    super('Another node has advanced the case.');
    this.name = 'Overtaken';
  }
}

export type TurnOfCase = Pick<CaseRow, 'id' | 'workspaceId' | 'scenario' | 'conversationId' | 'turnIds'>;

/** Stores the next turn of a case and adds it to the case. `bot` is the evaluated version. Call the result after the commit. */
export async function admitNextTurn(
  tx: Transaction,
  bot: BotRow,
  row: TurnOfCase,
  { turns, models, clock }: Pick<EvaluationDependencies, 'turns' | 'models' | 'clock'>,
): Promise<() => void> {
  const { workspaceId, scenario, turnIds } = row;
  if (bot.status !== 'active') throw new AppError('BOT_INACTIVE');
  models.ofBot(bot.settings);
  // Nodes of the version before find the stand-ins by the case's id; without it they would call the real tools.
  const options = { bot_version: bot.version, evaluation_case_id: row.id };
  const newConversation = { externalUserId: null, title: titleOf(scenario.name), metadata: {} };
  const turn = await turns.admitTurn(
    {
      turnId: newId(),
      workspaceId,
      bot,
      channel: 'evaluation',
      conversationId: row.conversationId ?? newId(),
      ...(row.conversationId === null && { newConversation }),
      text: scenario.turns[turnIds.length] ?? '',
      options,
    },
    tx,
  );
  switch (turn.kind) {
    case 'admitted':
      break;
    case 'stale_bot':
      throw notFound();
    case 'deleted':
    case 'busy':
    case 'elsewhere':
    case 'needs_reservation':
      throw new Overtaken();
  }
  const noted = { ...turn, now: clock.now() };
  if (!(await evaluationStore.addTurn(tx, workspaceId, row, noted))) throw new Overtaken();
  return () => turn.begin();
}
