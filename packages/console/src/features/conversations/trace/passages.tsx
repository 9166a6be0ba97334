import { passageSearch } from '../../../app/passage-search.ts';
import { PageLink } from '../../../app/workspace.tsx';

interface TracedPassage {
  knowledge_id?: string;
  title?: string;
  text?: string;
  content?: string;
  quote?: string;
  score?: number;
}

/** The passages of a search, if this is the output of one. */
export function passagesOf(output: unknown): TracedPassage[] | undefined {
  const found = (output as { passages?: unknown } | null)?.passages;
  return Array.isArray(found) ? (found as TracedPassage[]) : undefined;
}

/** What a search found, the best first, with its scores. */
export function Passages({ passages }: { passages: readonly TracedPassage[] }) {
  if (passages.length === 0) return <p className="text-ink-2">Nothing was found.</p>;
  return (
    <section aria-label="Passages">
      <h4 className="mb-1 font-medium text-ink-2 text-xs">Found</h4>
      <ol className="flex flex-col divide-y divide-line rounded-md border border-line">
        {passages.map((passage, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a finished list, and the same passage can occur twice
          <li key={index} className="flex flex-col gap-1 px-3 py-2">
            <p className="flex items-baseline gap-2">
              <span className="text-ink-3">{index + 1}</span>
              {passage.knowledge_id ? (
                <PageLink
                  path={`/knowledge/${passage.knowledge_id}`}
                  search={passageSearch(passage.quote ?? passage.content ?? passage.text)}
                  className="min-w-0 truncate text-accent-ink hover:underline"
                >
                  {passage.title ?? 'Untitled'}
                </PageLink>
              ) : (
                <span className="min-w-0 truncate">{passage.title ?? 'Untitled'}</span>
              )}
              {passage.score !== undefined && (
                <span className="ml-auto shrink-0 text-ink-2">{passage.score.toFixed(2)}</span>
              )}
            </p>
            <p
              dir="auto"
              className="line-clamp-4 whitespace-pre-wrap break-words text-ink-2 hover:line-clamp-none"
            >
              {passage.text ?? passage.content ?? passage.quote}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}
