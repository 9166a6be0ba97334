import type { ExplainedPassage, ExplainedSearch } from '@svc/contract/console-knowledge';
import { TextLink } from '../../../app/workspace.tsx';
import { Meter } from '../../../kit/meter.tsx';
import { EmptyState } from '../../../kit/placeholders.tsx';

export function FoundPassages({ found, question }: { found: ExplainedSearch; question: string }) {
  const { passages, embedding_model: model } = found;
  if (passages.length === 0) {
    return (
      <EmptyState title="Bots would find nothing">
        No passage is close enough to “{question}”. Try other words, or add a source that answers it.
      </EmptyState>
    );
  }
  return (
    <section aria-label="What bots would find" className="mx-auto w-full max-w-4xl px-4 py-4 md:px-6">
      <p className="mb-2 text-ink-3 text-sm">
        {model === null
          ? 'Found by words only: no model compares meanings.'
          : `The score combines meaning, as ${model} compares it, and shared words.`}
      </p>
      <ol className="flex flex-col">
        {passages.map((passage, index) => (
          <FoundItem
            key={passage.passage_id}
            passage={passage}
            rank={index + 1}
            hasMeaning={model !== null}
          />
        ))}
      </ol>
    </section>
  );
}

interface FoundItemProps {
  passage: ExplainedPassage;
  rank: number;
  hasMeaning: boolean;
}

function FoundItem({ passage, rank, hasMeaning }: FoundItemProps) {
  const place = [passage.title, ...passage.heading_path.filter((heading) => heading !== passage.title)];
  return (
    <li className="flex flex-wrap gap-x-6 gap-y-2 border-line border-b py-4">
      <div className="min-w-0 flex-1 basis-72">
        <p className="flex gap-2">
          <span className="text-ink-3">{rank}</span>
          <TextLink
            path={`/knowledge/${passage.knowledge_id}`}
            search={{ passage: passage.passage_id }}
            className="min-w-0 truncate font-medium"
          >
            {place.join(' › ')}
          </TextLink>
        </p>
        <p dir="auto" className="mt-1 line-clamp-6 whitespace-pre-wrap break-words text-ink-2">
          {passage.quote}
        </p>
      </div>
      <dl className="grid w-48 shrink-0 grid-cols-[auto_1fr_auto] content-start items-center gap-x-2 gap-y-1 text-sm">
        <Score name="Score" value={passage.score} isMain />
        <Score name="Words" value={passage.keyword_score} />
        {hasMeaning && <Score name="Meaning" value={passage.vector_score} />}
      </dl>
    </li>
  );
}

function Score({ name, value, isMain = false }: { name: string; value: number; isMain?: boolean }) {
  return (
    <>
      <dt className={isMain ? 'font-medium' : 'text-ink-2'}>{name}</dt>
      <dd>
        <Meter label={name} value={value} />
      </dd>
      <dd className={isMain ? 'font-medium' : 'text-ink-2'}>{value.toFixed(2)}</dd>
    </>
  );
}
