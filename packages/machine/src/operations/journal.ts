import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { type OperationName, Outcome, operationNames } from '@svc/contract/machine-protocol';
import { Check } from 'typebox/schema';
import { ExplainedError, explain } from '../explained-error.ts';
import { createDurably, writeDurably } from '../state/write-durably.ts';
import { ignoreMissing, type JournalLimits, sweepJournal } from './sweep-journal.ts';

/**
 * What this machine has started and finished, on its disk, so that an operation is carried out at most once: even if it
 * is sent again after a crash of the daemon or of the machine.
 */
export type Journal = Awaited<ReturnType<typeof openJournal>>;

export interface StartedOperation {
  id: string;
  name: OperationName;
}

interface FinishedRecord {
  /** Missing if it never started. */
  name?: OperationName;
  outcome: Outcome;
}

interface JournalOptions {
  onTrouble(message: string): void;
  freeBytes?: (folder: string) => Promise<number>;
  limits?: Partial<JournalLimits>;
}

/** Enough for the old contents and the result of any operation. */
const requiredBytes = 64 * 1024 * 1024;
/** Between two regular sweeps; more results than these are swept early. */
const maxUnsweptBytes = 64 * 1024 * 1024;
const maxUnsweptRecords = 1000;

/**
 * An operation is a file `started/<id>.<name>`, written before the work begins, and then a file `finished/<id>.json`. What
 * was once finished is remembered longer than its result, as an empty file `expired/<id>`.
 */
export async function openJournal(stateFolder: string, options: JournalOptions) {
  const folder = join(stateFolder, 'operations');
  const inFolder = (kind: 'started' | 'finished' | 'expired', name = '') => join(folder, kind, name);
  for (const kind of ['started', 'finished', 'expired'] as const) {
    await mkdir(inFolder(kind), { recursive: true, mode: 0o700 });
  }
  const freeBytes = options.freeBytes ?? measureFreeBytes;
  const unstored = new Map<string, FinishedRecord>();
  let unsweptBytes = 0;
  let unsweptRecords = 0;
  let sweeping: Promise<void> | undefined;

  const startedFile = ({ id, name }: StartedOperation) => inFolder('started', `${id}.${name}`);
  const finishedFile = (id: string) => inFolder('finished', `${id}.json`);

  async function requireSpace(): Promise<void> {
    const free = await freeBytes(folder);
    if (free >= requiredBytes) return;
    throw new ExplainedError(
      `The disk of this machine is almost full (${Math.floor(free / 1_048_576)} MB free). Nothing was done.`,
    );
  }

  async function store(id: string, { name, outcome }: FinishedRecord): Promise<void> {
    const text = JSON.stringify({ name, outcome });
    await writeDurably(finishedFile(id), text);
    // Already removed if this is the second attempt.
    if (name) await unlink(startedFile({ id, name })).catch(ignoreMissing);
    unstored.delete(id);
    unsweptBytes += text.length;
    unsweptRecords += 1;
    if (unsweptBytes > maxUnsweptBytes || unsweptRecords > maxUnsweptRecords) void journal.sweep();
  }

  async function storeOrKeep(id: string, record: FinishedRecord): Promise<void> {
    try {
      await store(id, record);
    } catch (error) {
      unstored.set(id, record);
      options.onTrouble(`the state folder cannot be written (${explain(error)}).`);
    }
  }

  const journal = {
    /** Whether this operation was finished, or cancelled before it arrived. */
    isFinished: (id: string): boolean =>
      unstored.has(id) || existsSync(finishedFile(id)) || existsSync(inFolder('expired', id)),
    /** The outcome of an operation that was finished. */
    async read(id: string): Promise<Outcome> {
      const kept = unstored.get(id);
      if (kept) return kept.outcome;
      try {
        const { outcome } = JSON.parse(await readFile(finishedFile(id), 'utf8')) as { outcome: unknown };
        if (Check(Outcome, outcome)) return outcome;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return expired;
        // Unreadable or not JSON, after a power cut: it was finished, and the result is lost.
      }
      return damaged;
    },
    /** Fails if the record cannot be written: the operation must then not begin. */
    async start(operation: StartedOperation): Promise<void> {
      try {
        for (const [id, record] of unstored) await store(id, record);
        await requireSpace();
        await createDurably(startedFile(operation));
      } catch (error) {
        if (error instanceof ExplainedError) throw error;
        throw new ExplainedError(
          `This machine cannot record the operation (${explain(error)}). Nothing was done.`,
        );
      }
    },
    /** If the disk refuses it, the outcome is kept in memory, and no operation starts before it is stored. */
    finish: ({ id, name }: StartedOperation, outcome: Outcome): Promise<void> =>
      storeOrKeep(id, { name, outcome }),
    /** Records that an operation that has not started must never start; otherwise as `finish`. */
    forbid: (id: string, outcome: Outcome): Promise<void> => storeOrKeep(id, { outcome }),
    /** Operations that a previous process started and did not finish. */
    async listUnfinished(): Promise<StartedOperation[]> {
      const unfinished: StartedOperation[] = [];
      for (const file of await readdir(inFolder('started'))) {
        const operation = parseStarted(file);
        // It finished, and the daemon ended before it could remove the first record.
        if (operation && journal.isFinished(operation.id)) await unlink(startedFile(operation));
        else if (operation) unfinished.push(operation);
      }
      return unfinished;
    },
    /** Removes what is too old or too much; never fails. */
    sweep(): Promise<void> {
      unsweptBytes = 0;
      unsweptRecords = 0;
      sweeping ??= sweepJournal(
        { finished: inFolder('finished'), expired: inFolder('expired') },
        options.limits,
      )
        .catch((error) => options.onTrouble(`old records cannot be removed (${explain(error)}).`))
        .finally(() => {
          sweeping = undefined;
        });
      return sweeping;
    },
  };
  return journal;
}

const expired: Outcome = {
  status: 'unknown',
  message: 'It was carried out earlier, and its result is no longer kept on the machine.',
};

const damaged: Outcome = {
  status: 'unknown',
  message: 'It was carried out earlier, and the record of its result on the machine is damaged.',
};

function parseStarted(file: string): StartedOperation | undefined {
  const [id, found, ...others] = file.split('.');
  const name = operationNames.find((known) => known === found);
  return id && name && others.length === 0 ? { id, name } : undefined;
}

async function measureFreeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
