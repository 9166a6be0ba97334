import type { KnowledgeOverview } from '@svc/contract/console-knowledge';
import { Info } from 'lucide-react';

/** Says that nothing is compared by meaning, and what would change that. */
export function KeywordNotice({ overview }: { overview: KnowledgeOverview }) {
  const { embedding_model: model, passages, unfinished } = overview;
  if (model !== null || passages === 0 || unfinished > 0) return null;
  return (
    <p className="flex items-start gap-2 border-line border-b bg-info-tint px-4 py-2 text-info-ink text-sm md:px-6">
      <Info aria-hidden className="mt-0.5 size-4 shrink-0" />
      <span>
        Bots find passages by words only: a question in other words than the text may find nothing. Set{' '}
        <code>SVC_EMBEDDING_MODEL</code> to compare meanings too.
      </span>
    </p>
  );
}
