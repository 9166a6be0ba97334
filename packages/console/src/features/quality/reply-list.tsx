import { useInfiniteQuery } from '@tanstack/react-query';
import { type QualityFilter, reviewedRepliesQuery } from '../../api/quality.ts';
import { useWorkspace } from '../../app/workspace-context.tsx';
import { Button } from '../../kit/button.tsx';
import { EmptyState } from '../../kit/empty-state.tsx';
import { InlineError } from '../../kit/inline-error.tsx';
import { ShowMore } from '../../kit/show-more.tsx';
import { RowsLoading } from '../../kit/skeleton.tsx';
import { ReviewedReply } from './reviewed-reply.tsx';

interface ReplyListProps {
  filter: QualityFilter;
  nameOf: (botId: string) => string;
  onClear: () => void;
}

export function ReplyList({ filter, nameOf, onClear }: ReplyListProps) {
  const { api } = useWorkspace();
  const replies = useInfiniteQuery(reviewedRepliesQuery(api, filter));
  if (replies.isPending) return <RowsLoading rows={4} />;
  if (replies.isError)
    return (
      <div className="p-4">
        <InlineError error={replies.error} onRetry={() => void replies.refetch()} />
      </div>
    );
  const shown = replies.data.pages.flatMap(({ items }) => items);
  if (shown.length === 0) {
    const isFiltered = filter.refused || filter.unsupported;
    return (
      <EmptyState
        title={isFiltered ? 'No reply matches.' : 'No reply was graded or checked yet.'}
        action={isFiltered && <Button onPress={onClear}>Show all replies</Button>}
      />
    );
  }
  return (
    <>
      {shown.map((reply) => (
        <ReviewedReply key={reply.id} reply={reply} botName={nameOf(reply.bot_id)} />
      ))}
      <ShowMore list={replies} />
    </>
  );
}
