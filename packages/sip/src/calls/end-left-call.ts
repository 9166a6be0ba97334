import { createDialog, type StoredDialog } from '../dialog.ts';
import type { UserAgent } from './user-agent.ts';

/** The process that had the call may have sent some requests after its dialog was stored: their numbers must not be used again. */
const skippedRequests = 1_000;

/** Hangs up a call of a process that died. Does not wait for the other side, which may be gone as well. */
export async function endLeftCall(agent: UserAgent, { state, destination }: StoredDialog): Promise<void> {
  await agent.findAddress(destination);
  const { send, transmit, peers } = agent;
  const left = { ...state, localCSeq: state.localCSeq + skippedRequests };
  const dialog = createDialog(left, destination, { send, transmit, peers });
  dialog.request('BYE', {}, { onFinal: () => undefined });
}
