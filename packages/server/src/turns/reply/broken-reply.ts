import type { Citation } from '@svc/contract/conversations';
import type { TraceEntry, UsageEntry } from '../write/step-changes.ts';

/** A reply that ended before it was whole, with what there was of it. */
export class BrokenReply extends Error {
  /** What readers may have seen of it. */
  readonly text: string;
  readonly messageId: string;
  /** What that text uses. */
  readonly citations: Citation[];
  /** By every model call that was made for it. */
  readonly spent: UsageEntry[];
  /** How the calls went, when the bot is traced. */
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
