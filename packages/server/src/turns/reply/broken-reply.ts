import type { Citation } from '@svc/contract/conversations';
import type { TraceEntry, UsageEntry } from '../write/step-changes.ts';

/** A reply that ended too early, with what there is of it. */
export class BrokenReply extends Error {
  /** What readers may have seen of it. */
  readonly text: string;
  readonly messageId: string;
  /** The passages that this text uses. */
  readonly citations: Citation[];
  /** By every model call that was made for this reply. */
  readonly spent: UsageEntry[];
  /** The trace of those calls; empty if the bot is not traced. */
  readonly trace: TraceEntry[];

  constructor(
    cause: unknown,
    reply: Pick<BrokenReply, 'messageId' | 'text' | 'spent' | 'trace'> & { citations?: Citation[] },
  ) {
    super('The reply broke off.', { cause });
    this.name = 'BrokenReply';
    this.messageId = reply.messageId;
    this.text = reply.text;
    this.citations = reply.citations ?? [];
    this.spent = reply.spent;
    this.trace = reply.trace;
  }
}
