import { endSession } from '../api/session.ts';
import { forgetReplyDrafts } from '../features/conversations/reply-drafts.ts';
import { messageOf } from '../kit/placeholders.tsx';
import { notify } from '../kit/toast.tsx';

/** Loads the sign-in page as a new page, so that nothing of the person stays in memory. */
export async function signOut(): Promise<void> {
  try {
    await endSession();
  } catch (error) {
    notify({ text: `You are still signed in. ${messageOf(error)}`, isError: true });
    return;
  }
  forgetReplyDrafts();
  location.assign('/sign-in');
}
