import type { VisitorDetails } from '@svc/contract/end-user-details';
import type { VisitorChatParts } from './visitor-chat-parts.ts';
import type { Refusal } from './widget-api.ts';

/**
 * Tells the team which page the visitor is on, and who they are if they have said so. What is not taken goes with the next message or
 * page.
 */
export async function sendDetails({ call, saved, page, signal }: VisitorChatParts): Promise<void> {
  const { given } = saved.get();
  const send = (body: VisitorDetails) => call('visitor', { body, signal });
  try {
    await send({ ...page.place(), ...given }).catch((error: unknown) => {
      // A page that the service does not take does not take the name with it.
      if (!given || (error as Refusal).status !== 400) throw error;
      return send(given);
    });
    if (given) saved.set({ given: undefined });
  } catch {
    // The visitor does not need it.
  }
}
