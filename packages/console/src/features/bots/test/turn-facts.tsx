import type { ConsoleTurn } from '@svc/contract/console-conversation';
import { PageLink } from '../../../app/workspace.tsx';
import { money } from '../../../format/numbers.ts';
import { duration } from '../../../format/time.ts';

interface TurnFactsProps {
  turn: ConsoleTurn;
  conversationId: string;
  botId: string;
}

/** How long a reply took and what it cost, and where to look further. */
export function TurnFacts({ turn, conversationId, botId }: TurnFactsProps) {
  if (!turn.ended_at) return null;
  const took = new Date(turn.ended_at).getTime() - new Date(turn.started_at).getTime();
  const link = 'text-accent-ink underline underline-offset-2 pointer-coarse:-my-3 pointer-coarse:py-3.5';
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-1 text-ink-3 text-xs">
      <span>{duration(took)}</span>
      <span>{money(turn.cost_usd)}</span>
      <PageLink
        path={`/conversations/${conversationId}`}
        search={{ panel: 'trace', turn: turn.id }}
        className={link}
      >
        Trace
      </PageLink>
      <PageLink
        path={`/bots/${botId}/evaluations`}
        search={{ scenario: 'new', conversation: conversationId }}
        className={link}
      >
        Save as scenario
      </PageLink>
    </p>
  );
}
