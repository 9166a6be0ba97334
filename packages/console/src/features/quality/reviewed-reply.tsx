import type { ReviewedReply as Reply } from '@svc/contract/console-quality';
import { PageLink } from '../../app/workspace.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { TimeAgo } from '../../kit/time-ago.tsx';
import { highlightClaims } from './highlight.ts';

/** One reply: what was asked, what was answered or withheld, and what no source supports. */
export function ReviewedReply({ reply, botName }: { reply: Reply; botName: string }) {
  const { pieces, elsewhere } = highlightClaims(reply.answer ?? '', reply.unsupported_claims);
  const hasSources = reply.sources.length > 0;
  return (
    <article className="flex flex-col gap-3 border-line border-b px-4 py-4 md:px-6">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
        <Verdicts reply={reply} />
        <span className="text-ink-2">{botName}</span>
        <TimeAgo at={reply.created_at} className="text-ink-3" />
        <PageLink
          path={`/conversations/${reply.conversation_id}`}
          search={{ message: reply.message_id }}
          className="ml-auto text-accent-ink hover:underline"
        >
          Open the conversation
        </PageLink>
      </header>
      <div className={hasSources ? 'grid gap-4 lg:grid-cols-[3fr_2fr]' : ''}>
        <div className="flex min-w-0 max-w-prose flex-col gap-2">
          {reply.question && (
            <p dir="auto" className="whitespace-pre-wrap break-words text-ink-2">
              {reply.question}
            </p>
          )}
          {reply.refused_text !== null && (
            <div>
              <p className="font-medium text-danger-ink text-sm">Withheld, the user never saw it:</p>
              <p dir="auto" className="whitespace-pre-wrap break-words rounded-md bg-danger-tint p-3">
                {reply.refused_text}
              </p>
            </div>
          )}
          {reply.answer === null ? (
            <p className="text-ink-3">The answer is gone: its conversation was truncated.</p>
          ) : (
            <p dir="auto" className="whitespace-pre-wrap break-words text-lg">
              {pieces.map(({ text, isUnsupported }, index) =>
                isUnsupported ? (
                  // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other identity
                  <mark key={index} className="rounded-sm bg-del-word px-0.5 text-ink">
                    {text}
                    <span className="sr-only"> (no source says this)</span>
                  </mark>
                ) : (
                  text
                ),
              )}
            </p>
          )}
          {elsewhere.length > 0 && (
            <div className="text-sm">
              <p className="text-ink-2">No source says:</p>
              <ul className="list-disc pl-5">
                {elsewhere.map((claim) => (
                  <li key={claim}>{claim}</li>
                ))}
              </ul>
            </div>
          )}
        </div>
        {hasSources && (
          <ul aria-label="Sources" className="flex min-w-0 flex-col gap-2 text-sm">
            {reply.sources.map(({ title, quote }, index) => (
              <li
                // biome-ignore lint/suspicious/noArrayIndexKey: the number is how the answer refers to it
                key={index}
                className="border-line border-l-2 pl-3"
              >
                <p className="font-medium">
                  [{index + 1}] {title}
                </p>
                <p dir="auto" className="line-clamp-4 break-words text-ink-2">
                  {quote}
                </p>
              </li>
            ))}
          </ul>
        )}
      </div>
    </article>
  );
}

function Verdicts({ reply }: { reply: Reply }) {
  const { grading, score, refused, validation, verdict } = reply;
  return (
    <>
      {refused && <StateBadge state="danger" text="Withheld" />}
      {grading === 'graded' && <span className="font-medium">Score {score?.toFixed(2)}</span>}
      {grading === 'ungraded' && (
        <StateBadge state="unknown" text={`Not graded: ${reply.ungraded_because ?? 'the grader failed'}`} />
      )}
      {verdict === 'supported' && <StateBadge state="success" text="Supported by its sources" />}
      {verdict === 'unsupported' && <StateBadge state="warning" text="Not supported" />}
      {validation === 'pending' && <StateBadge state="running" text="Being checked" />}
      {validation === 'failed' && (
        <StateBadge state="unknown" text={`Not checked: ${reply.validation_problem ?? 'unknown'}`} />
      )}
    </>
  );
}
