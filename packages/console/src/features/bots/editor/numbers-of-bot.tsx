import { useQuery } from '@tanstack/react-query';
import { numbersQuery } from '../../../api/voice.ts';
import { PageLink } from '../../../app/page-links.tsx';
import { useWorkspace } from '../../../app/workspace-context.tsx';
import { InlineError } from '../../../kit/inline-error.tsx';
import { Bar, Loading } from '../../../kit/skeleton.tsx';
import { StateBadge } from '../../../kit/state-badge.tsx';
import { useBotEditor } from './editor-context.tsx';
import { FormSection } from './form-section.tsx';

/** Which numbers lead to the bot, and which it calls from. */
export function NumbersOfBot() {
  const { api } = useWorkspace();
  const { bot } = useBotEditor();
  const numbers = useQuery(numbersQuery(api));
  const own = numbers.data?.filter((number) => number.bot_id === bot.id) ?? [];
  return (
    <FormSection title="Numbers">
      {numbers.isPending && (
        <Loading>
          <Bar className="w-1/3" />
        </Loading>
      )}
      {numbers.error && <InlineError error={numbers.error} onRetry={() => void numbers.refetch()} />}
      {numbers.data && own.length === 0 && <p className="text-ink-2">No number leads to this bot.</p>}
      {own.length > 0 && (
        <ul className="flex flex-col gap-1">
          {own.map((number) => (
            <li key={number.id} className="flex flex-wrap items-center gap-x-3">
              <span className="font-medium tabular-nums">{number.phone_number}</span>
              {number.is_outbound_primary && <StateBadge state="success" text="calls from here" />}
            </li>
          ))}
        </ul>
      )}
      <PageLink path="/voice/numbers" className="w-fit text-accent-ink text-sm underline">
        All numbers
      </PageLink>
    </FormSection>
  );
}
