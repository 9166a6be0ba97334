import { Button } from './button.tsx';

interface ShowMoreProps {
  /** An infinite query. */
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => Promise<unknown> };
  label?: string;
}

/** The end of a list that has another page. */
export function ShowMore({ list, label = 'Show more' }: ShowMoreProps) {
  if (!list.hasNextPage) return null;
  return (
    <div className="flex justify-center p-4">
      <Button isBusy={list.isFetchingNextPage} onPress={() => void list.fetchNextPage()}>
        {label}
      </Button>
    </div>
  );
}
