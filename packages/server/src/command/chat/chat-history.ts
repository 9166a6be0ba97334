import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const maxLines = 1_000;
const ownerOnly = 0o600;

/** The lines that a person typed in earlier chats, in a file that only they can read. */
export interface ChatHistory {
  /** Newest first, as readline wants them. */
  lines: string[];
  add(line: string): void;
}

/** Without a file that can be written, there is the history of this chat alone, and `onProblem` says why. */
export function openHistory(folder: string, onProblem: (message: string) => void): ChatHistory {
  const path = join(folder, 'chat-history');
  let isKept = true;

  function attempt<Result>(work: () => Result): Result | undefined {
    if (!isKept) return undefined;
    try {
      return work();
    } catch (error) {
      isKept = false;
      onProblem(`What you type is not kept for the next time: ${(error as Error).message}`);
      return undefined;
    }
  }

  const lines = attempt(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    appendFileSync(path, '', { mode: ownerOnly });
    chmodSync(path, ownerOnly);
    const all = readFileSync(path, 'utf8').split('\n').filter(Boolean);
    if (all.length > 2 * maxLines) writeFileSync(path, `${all.slice(-maxLines).join('\n')}\n`);
    return all.slice(-maxLines).toReversed();
  });
  return {
    lines: lines ?? [],
    add: (line) => attempt(() => appendFileSync(path, `${line}\n`)),
  };
}
