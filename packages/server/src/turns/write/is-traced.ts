import type { TurnState } from '../state.ts';

export function isTraced({ bot }: Pick<TurnState, 'bot'>): boolean {
  return bot.settings.enable_agent_tracing === true;
}
