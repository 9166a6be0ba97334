import type { CancelFrame, OperationFrame, ProgressFrame, ResultFrame } from '@svc/contract/machine-protocol';
import type { Services } from '../../../services.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import { mailStore, type Posted } from './mailbox.store.ts';

export { mailChannel } from './mailbox.store.ts';

/** For a machine that is connected to the node which receives this. */
export interface MailToMachine {
  kind: 'to machine';
  /** The node that waits for the answer. */
  from: string;
  machineId: string;
  connectionId: string;
  frame: OperationFrame | CancelFrame;
}

/** From a machine, for a node that waits for it. */
export interface MailFromMachine {
  kind: 'from machine';
  machineId: string;
  frame: ProgressFrame | ResultFrame;
}

export type Mail = MailToMachine | MailFromMachine;

export interface Mailbox {
  /** Queues mail for another node; it is sent in order, as soon as the database accepts it. */
  post(toNode: string, mail: Mail): void;
  /** Reads what has arrived, in the background. */
  collect(): void;
  /** Sends what is queued, if the database accepts it. */
  close(): Promise<void>;
}

export interface MailboxDependencies extends Pick<Services, 'database' | 'log' | 'nodeId'> {
  onMail(mail: Mail): void;
}

/** A frame has up to 8 MB: few of them at a time are held in memory. */
const batchSize = 16;
/** While the database is away, this much is kept for it, and less of progress reports. */
const maxQueuedCharacters = 32_000_000;
const maxQueuedBeforeProgress = 1_000_000;
const retryMs = 1_000;
const cleanUpEveryMs = 60_000;

/** Carries frames between nodes through PostgreSQL. Mail can be lost when PostgreSQL crashes, or arrive twice. */
export function createMailbox({ database, nodeId, log, onMail }: MailboxDependencies): Mailbox {
  let queue: Posted[] = [];
  let queuedCharacters = 0;
  let cleanedUpAt = Number.NEGATIVE_INFINITY;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  const sending = oneAtATime('mail to other nodes', log, async () => {
    try {
      while (queue.length > 0) await sendBatch();
    } catch (error) {
      if (!isClosed) retry = setTimeout(sending.run, retryMs).unref();
      throw error;
    }
  });

  async function sendBatch(): Promise<void> {
    const batch = queue.slice(0, batchSize);
    await mailStore.postAcrossWorkspaces(database.acrossWorkspaces, batch);
    queue = queue.slice(batch.length);
    queuedCharacters -= batch.reduce((sum, { payload }) => sum + payload.length, 0);
  }

  const collecting = oneAtATime('mail from other nodes', log, async () => {
    while (!isClosed) {
      const mails = (await mailStore.takeAcrossWorkspaces(
        database.acrossWorkspaces,
        nodeId,
        batchSize,
      )) as Mail[];
      for (const mail of mails) onMail(mail);
      if (mails.length < batchSize) return cleanUp();
    }
  });

  /** What nodes that have died left unread; whichever node has machines removes it. */
  async function cleanUp(): Promise<void> {
    if (performance.now() - cleanedUpAt < cleanUpEveryMs) return;
    cleanedUpAt = performance.now();
    await mailStore.deleteOldAcrossWorkspaces(database.acrossWorkspaces);
  }

  return {
    post(toNode, mail) {
      const payload = JSON.stringify(mail);
      const isProgress = mail.frame.type === 'progress';
      const limit = isProgress ? maxQueuedBeforeProgress : maxQueuedCharacters;
      if (queuedCharacters + payload.length > limit) {
        if (!isProgress) log.warn('Too much mail waits for the database: a frame of a machine was dropped.');
        return;
      }
      queue.push({ toNode, payload });
      queuedCharacters += payload.length;
      sending.run();
    },
    collect: collecting.run,
    async close() {
      isClosed = true;
      clearTimeout(retry);
      await Promise.all([sending.idle(), collecting.idle()]);
    },
  };
}
