import type { Citation } from '@svc/contract/conversations';
import { passageSearch } from '../../app/passage-search.ts';
import { TextLink } from '../../app/workspace.tsx';
import { classes } from '../../kit/classes.ts';
import { NameText } from '../../kit/visible-text.tsx';

/** Props: `citations` of a message; `shown`, the number of the open one, counted from 1; `onShow` opens one or closes it. */
interface CitationsProps {
  citations: readonly Citation[];
  shown: number | undefined;
  onShow: (number: number | undefined) => void;
}

/** The sources of a reply as buttons; one opens its quote. */
export function Citations({ citations, shown, onShow }: CitationsProps) {
  const open = shown === undefined ? undefined : citations[shown - 1];
  return (
    <div className="flex w-full max-w-[72ch] flex-col gap-2">
      <ul aria-label="Sources" className="flex flex-wrap gap-1">
        {citations.map((citation, index) => {
          const number = index + 1;
          return (
            <li key={`${citation.knowledge_id}-${number}`} className="min-w-0">
              <button
                type="button"
                aria-expanded={shown === number}
                onClick={() => onShow(shown === number ? undefined : number)}
                className={classes(
                  'flex max-w-full items-center gap-1 rounded-sm border px-1.5 py-0.5 text-xs hover:bg-hover pointer-coarse:min-h-11 pointer-coarse:px-3',
                  shown === number ? 'border-accent bg-selected text-ink' : 'border-line text-ink-2',
                )}
              >
                <span className="font-semibold text-accent-ink">{number}</span>
                <span className="truncate">
                  <NameText text={citation.title} />
                </span>
              </button>
            </li>
          );
        })}
      </ul>
      {open && (
        <blockquote className="rounded-md border border-line bg-surface px-3 py-2 text-sm">
          <p dir="auto" className="max-h-60 overflow-y-auto whitespace-pre-wrap break-words">
            {open.quote}
          </p>
          <footer className="mt-2 flex flex-wrap gap-x-3 text-ink-3 text-xs">
            <TextLink
              path={`/knowledge/${open.knowledge_id}`}
              search={passageSearch(open.quote)}
              className="underline-offset-2"
            >
              <NameText text={open.title} />
            </TextLink>
            <span>score {open.score.toFixed(2)}</span>
          </footer>
        </blockquote>
      )}
    </div>
  );
}
