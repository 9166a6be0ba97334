import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Button } from 'react-aria-components';
import { botQuestionsQuery } from '../../../api/bots.ts';
import { botKnowledgeQuery, isBeingRead } from '../../../api/knowledge.ts';
import { useRead, useWorkspace } from '../../../app/workspace.tsx';
import { StateBadge } from '../../../kit/labels.tsx';
import { Markdown } from '../../../kit/markdown.tsx';
import { recallQuestions } from '../first-questions.ts';

const retryMs = 700;

/** What is being read, and whether the bot can be asked about it already: it can as soon as words are found. */
export function useReadiness(botId: string) {
  const { api } = useWorkspace();
  const sources = useRead(botKnowledgeQuery, botId);
  const reading = (sources.data ?? []).filter(isBeingRead);
  const failed = (sources.data ?? []).filter(
    ({ processing_status: status, bot_id }) => status === 'failed' && bot_id === botId,
  );
  const questions = useQuery({
    ...botQuestionsQuery(api, botId),
    refetchInterval: ({ state }) => (reading.length > 0 && !state.data?.is_ready ? retryMs : false),
  });
  // The last source may have been read since the questions were asked for.
  const { refetch } = questions;
  const isRead = sources.data !== undefined && sources.data.length > 0 && reading.length === 0;
  useEffect(() => {
    if (isRead) void refetch();
  }, [isRead, refetch]);
  const isReady = questions.data?.is_ready ?? false;
  return {
    reading,
    failed,
    questions: questions.data?.questions ?? [],
    isWaiting: reading.length > 0 && !isReady,
  };
}

interface SuggestionsProps {
  botId: string;
  /** What the bot opens every chat with. */
  greeting: string | undefined;
  readiness: ReturnType<typeof useReadiness>;
  onAsk: (question: string) => void;
}

/** Before the first message: what is being read, then questions to click. */
export function Suggestions({ botId, greeting, readiness, onAsk }: SuggestionsProps) {
  const { reading, failed, isWaiting } = readiness;
  const first = recallQuestions(botId);
  const questions = first && first.questions.length > 0 ? first.questions : readiness.questions;
  return (
    <div className="flex flex-col gap-3">
      {greeting && <Markdown text={greeting} />}
      {reading.map((source) => (
        <StateBadge
          key={source.id}
          state="running"
          text={`Reading ${source.title} ${Math.round(source.processing_progress * 100)} %`}
        />
      ))}
      {failed.map((source) => (
        <p key={source.id} className="text-sm">
          <StateBadge state="danger" text={`${source.title} could not be read.`} />{' '}
          <span className="text-ink-2">{source.error}</span>
        </p>
      ))}
      {!isWaiting && questions.length > 0 && (
        <div className="flex flex-col items-start gap-2">
          <p className="text-ink-3 text-sm">Ask it something:</p>
          {questions.map((question) => (
            <Button
              key={question}
              onPress={() => onAsk(question)}
              className="rounded-lg border border-line-strong bg-surface px-3 py-1.5 text-left data-hovered:bg-hover pointer-coarse:min-h-11"
            >
              <span dir="auto">{question}</span>
            </Button>
          ))}
        </div>
      )}
      {reading.length === 0 && questions.length === 0 && (
        <p className="text-ink-3 text-sm">
          Try what is in the form, before you save it. Visitors see nothing of this, and calls that change
          something ask you first.
        </p>
      )}
      {first && first.notes.length > 0 && (
        <details className="text-sm">
          <summary className="text-ink-2">Notes on the draft</summary>
          <ul className="list-disc pt-1 pl-5 text-ink-2">
            {first.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}
