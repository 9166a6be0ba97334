import { EmptyState } from '../kit/empty-state.tsx';
import { Page } from '../kit/page.tsx';
import { PageLink } from './page-links.tsx';

/** For an address of a workspace that no page has. */
export function NothingHere() {
  return (
    <Page title="Not found">
      <EmptyState
        title="There is nothing at this address"
        action={
          <PageLink path="" className="font-medium text-accent-ink underline underline-offset-2">
            Go to the overview
          </PageLink>
        }
      >
        The link is incomplete, or the page was removed.
      </EmptyState>
    </Page>
  );
}
