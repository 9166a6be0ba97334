import type { FailedItem, Overview, RunningItem } from '@svc/contract/console-conversations';
import { plural } from '../../format/numbers.ts';
import { jobName } from '../settings/system/job-names.ts';
import { ItemRow } from './item-row.tsx';
import { Section } from './section.tsx';

const nothing = 'px-4 pb-4 text-ink-3 md:px-6';

export function RunningSection({ items, count }: { items: Overview['running']; count: number }) {
  return (
    <Section title="Running now" note={count > 0 && count}>
      {items.length === 0 ? (
        <p className={nothing}>Nothing is running.</p>
      ) : (
        <ul>
          {items.map((item) => (
            <ItemRow
              key={item.id}
              state="running"
              stateText={runningNames[item.kind]}
              title={
                item.kind === 'evaluation'
                  ? `Evaluation, ${item.title.toLowerCase()}`
                  : item.title || 'Conversation'
              }
              owner={item.bot_name}
              detail={progressOf(item)}
              at={item.started_at}
              {...pageOf(item)}
            />
          ))}
        </ul>
      )}
      <More count={count} shown={items.length} />
    </Section>
  );
}

export function FailedSection({ items, count }: { items: Overview['failed']; count: number }) {
  return (
    <Section title="Went wrong" note={count > 0 ? `${count} in 24 hours` : 'in 24 hours'}>
      {items.length === 0 ? (
        <p className={nothing}>Nothing went wrong.</p>
      ) : (
        <ul>
          {items.map((item) => (
            <ItemRow
              key={`${item.kind} ${item.id}`}
              state={item.kind === 'turn' || item.kind === 'run' ? 'danger' : 'warning'}
              stateText="Failed"
              title={item.kind === 'job' ? jobName(item.title) : item.title || 'Conversation'}
              owner={item.bot_name}
              detail={item.kind === 'webhook' ? `Webhook: ${item.reason}` : item.reason}
              at={item.at}
              {...pageOf(item)}
            />
          ))}
        </ul>
      )}
      <More count={count} shown={items.length} />
    </Section>
  );
}

function More({ count, shown }: { count: number; shown: number }) {
  if (count <= shown) return null;
  return <p className="px-4 py-2 text-ink-3 text-sm md:px-6">and {plural(count - shown, 'other')}</p>;
}

const runningNames: Record<RunningItem['kind'], string> = {
  turn: 'Answering',
  run: 'Running',
  evaluation: 'Evaluating',
  knowledge: 'Reading',
};

function progressOf({ kind, done, of }: RunningItem): string | undefined {
  if (done === null || of === null) return undefined;
  if (kind === 'knowledge') return `${Math.round(done * 100)} %`;
  return kind === 'run' ? `step ${done} of at most ${of}` : `${done} of ${of}`;
}

function pageOf({ kind, id, bot_id: bot, conversation_id: conversation }: RunningItem | FailedItem) {
  if (kind === 'job') return { path: '/settings/system' };
  if (kind === 'knowledge') return { path: `/knowledge/${id}` };
  if (kind === 'evaluation') return { path: `/bots/${bot}/evaluations`, search: { evaluation: id } };
  return { path: `/conversations/${conversation}`, search: { panel: 'trace', turn: id } };
}
