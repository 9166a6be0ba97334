import { EmptyState } from '../kit/empty-state.tsx';
import { Page } from '../kit/page.tsx';
import { PageLink } from './page-links.tsx';

/** For a page of a bot that was never here. */
export function NoSuchBot() {
  return (
    <Page title="Bot not found">
      <EmptyState
        title="This workspace has no such bot"
        action={
          <PageLink path="/bots" className="font-medium text-accent-ink underline underline-offset-2">
            All bots
          </PageLink>
        }
      />
    </Page>
  );
}
