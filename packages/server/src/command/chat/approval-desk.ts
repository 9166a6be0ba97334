import type { FullEvent } from '@svc/client/conversation';
import type { Approval } from '@svc/contract/approvals';
import { type Answering, answerApproval } from './answer-approval.ts';
import type { Terminal } from './terminal.ts';

export type DeskDependencies = Pick<Answering, 'client' | 'edit' | 'botName'> & {
  terminal: Answering['terminal'] & Pick<Terminal, 'isInteractive'>;
  /** Called when the person does not answer now. */
  onLeave(): void;
};

/** Asks for the approvals of a turn one after another, while its events are still being read. */
export function createApprovalDesk({ onLeave, ...dependencies }: DeskDependencies) {
  const { terminal } = dependencies;
  const pending = new Map<string, Approval>();
  const started = new Set<string>();
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
        return terminal.say('Waiting for another person to answer. Ctrl-C leaves it to them.');
      }
      // Still pending without an answer means that the person leaves; otherwise its event has removed it.
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

  /** Starts asking, or continues with what was added. */
  function open(): void {
    working = working.then(askAll);
    // An error is thrown by close().
    working.catch(onLeave);
  }

  return {
    /** Approvals that waited already. */
    add(approvals: readonly Approval[]): void {
      for (const approval of approvals) pending.set(approval.id, approval);
    },

    /**
     * Records approvals that are requested, and those that others answer. The question of a call that runs already is asked at once,
     * because the turn does not pause for it.
     */
    note({ type, data }: FullEvent): void {
      if (type === 'tool.started') started.add(data.tool_call_id);
      if (type === 'approval.requested') {
        pending.set(data.approval.id, data.approval);
        if (terminal.isInteractive && started.has(data.approval.tool_call_id)) open();
      }
      if (type !== 'approval.resolved') return;
      const { approval } = data;
      pending.delete(approval.id);
      if (asked?.id === approval.id) asked.ending.abort();
    },

    /** The turn is paused. */
    open,

    /** Whether the turn waits for a person, here or elsewhere. */
    isOpen: () => pending.size > 0,
    hasLeft: () => hasLeft,
    leave,

    /** Stops asking. Throws if asking failed. */
    async close(): Promise<void> {
      hasLeft = true;
      asked?.ending.abort();
      await working;
    },
  };
}
