import type { ReactNode } from 'react';
import { PageLink } from '../../../app/page-links.tsx';
import { Button } from '../../../kit/button.tsx';
import { EmptyState } from '../../../kit/empty-state.tsx';

interface NoConversationsProps {
  icon: ReactNode;
  isFiltered: boolean;
  onClear: () => void;
}

export function NoConversations({ icon, isFiltered, onClear }: NoConversationsProps) {
  if (isFiltered) {
    return (
      <EmptyState
        icon={icon}
        title="No conversation matches"
        action={<Button onPress={onClear}>Clear filters</Button>}
      >
        Search for an id, a user, or a text such as "two weeks".
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={icon}
      title="Conversations with your bots appear here"
      action={
        <PageLink path="/widgets" className="font-medium text-accent-ink underline underline-offset-2">
          Put a bot on your site
        </PageLink>
      }
    >
      Each one as it happens: messages, tool calls and what they cost. For example "Where is my parcel?" from
      a visitor of your site.
    </EmptyState>
  );
}
