import type { TraceEntry, UsageEntry } from '../step-write.ts';

/** A reply that ended before it was whole, with what there was of it. */
export class BrokenReply extends Error {
  /** What readers may have seen of it. */
  readonly text: string;
  readonly messageId: string;
  /** By every model call that was made for it. */
  readonly spent: UsageEntry[];
  /** How the calls went, when the bot is traced. */
  readonly trace: TraceEntry[];

  constructor(cause: unknown, reply: Pick<BrokenReply, 'messageId' | 'text' | 'spent' | 'trace'>) {
    super('The reply broke off.', { cause });
    this.name = 'BrokenReply';
    this.messageId = reply.messageId;
    this.text = reply.text;
    this.spent = reply.spent;
    this.trace = reply.trace;
  }
}
