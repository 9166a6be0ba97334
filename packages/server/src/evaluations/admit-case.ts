import { AppError } from '../app-error.ts';
import type { BotRow } from '../bots/service.ts';
import { titleOf } from '../conversations/service.ts';
import type { Transaction } from '../database/database.ts';
import type { EvaluationDependencies } from './dependencies.ts';
import { type CaseRow, evaluationStore } from './store.ts';

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
  { turns, clock }: Pick<EvaluationDependencies, 'turns' | 'clock'>,
): Promise<() => void> {
  const { workspaceId, scenario, conversationId, turnIds } = row;
  if (bot.status !== 'active') throw new AppError('BOT_INACTIVE');
  const turn = await turns.admitTurn(tx, {
    workspaceId,
    bot,
    channel: 'evaluation',
    conversationId: conversationId ?? undefined,
    newConversation: {
      externalUserId: null,
      title: titleOf(scenario.name),
      metadata: {},
    },
    text: scenario.turns[turnIds.length] ?? '',
    options: { bot_version: bot.version },
  });
  const noted = { ...turn, now: clock.now() };
  if (!(await evaluationStore.addTurn(tx, workspaceId, row, noted))) throw new Overtaken();
  return () => turn.begin();
}
