import { Page } from '../kit/page.tsx';
import { EmptyState } from '../kit/placeholders.tsx';
import { TextLink } from './workspace.tsx';

/** For a page of a bot that was never here. */
export function NoSuchBot() {
  return (
    <Page title="Bot not found">
      <EmptyState
        title="This workspace has no such bot"
        action={
          <TextLink path="/bots" className="font-medium underline-offset-2">
            All bots
          </TextLink>
        }
      />
    </Page>
  );
}
