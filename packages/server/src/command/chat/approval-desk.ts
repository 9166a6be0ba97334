import type { Approval } from '@svc/contract/approvals';
import { type Answering, answerApproval } from './answer-approval.ts';
import type { ServerEvent } from './server-events.ts';

export type DeskDependencies = Pick<Answering, 'client' | 'terminal' | 'edit' | 'botName'> & {
  /** The person does not answer now. */
  onLeave(): void;
};

/** The approvals that a turn waits for, asked about one after another while its events go on being read. */
export function createApprovalDesk({ onLeave, ...dependencies }: DeskDependencies) {
  const { terminal } = dependencies;
  const pending = new Map<string, Approval>();
  let asked: { id: string; ending: AbortController } | undefined;
  let working = Promise.resolve();
  let hasLeft = false;

  async function askAll(): Promise<void> {
    for (let nth = 1; !hasLeft; nth += 1) {
      const [approval] = pending.values();
      if (!approval) return;
      const total = nth - 1 + pending.size;
      const place = total > 1 ? `(${nth} of ${total}) ` : '';
      asked = { id: approval.id, ending: new AbortController() };
      const answering = { ...dependencies, place, signal: asked.ending.signal };
      const answered = await answerApproval(approval, answering);
      asked = undefined;
      if (answered === 'forbidden') {
        return terminal.say('Waiting for somebody else to answer. Ctrl-C leaves it to them.');
      }
      // Without an answer it is still there, unless somebody else answered it: then its event took it away.
      if (answered === 'unanswered' && pending.has(approval.id)) return leave();
      pending.delete(approval.id);
    }
  }

  function leave(): void {
    if (hasLeft) return;
    hasLeft = true;
    asked?.ending.abort();
    const ids = [...pending.keys()].join(', ');
    terminal.say(
      `Not answered: it stays pending. Answer it later in the console, or with POST /api/v1/hitl/{id}/respond (${ids}).`,
    );
    onLeave();
  }

  return {
    /** Takes note of what the turn asks for, and of what others answer. */
    note({ type, data }: ServerEvent): void {
      if (type === 'approval.requested') pending.set(data.approval.id, data.approval);
      if (type !== 'approval.resolved') return;
      const { approval } = data;
      pending.delete(approval.id);
      if (asked?.id === approval.id) asked.ending.abort();
    },

    /** The turn waits. */
    open(): void {
      working = working.then(askAll);
      // What went wrong is thrown when the desk is closed.
      working.catch(onLeave);
    },

    /** Whether the turn waits for a person, here or elsewhere. */
    isOpen: () => pending.size > 0,
    hasLeft: () => hasLeft,
    leave,

    /** Nothing is asked any more; throws what went wrong in the asking. */
    async close(): Promise<void> {
      hasLeft = true;
      asked?.ending.abort();
      await working;
    },
  };
}
