import type { KnownPassage } from '../../models/passages.ts';

/** Finds what the bot may answer from. */
export interface PassageSearch {
  /** Best first; none when nothing fits. */
  search(question: PassageQuestion, signal: AbortSignal): Promise<FoundPassages>;
}

export interface PassageQuestion {
  workspaceId: string;
  botId: string;
  query: string;
  limit: number;
}

export interface FoundPassages {
  passages: KnownPassage[];
  /** What it took to understand the question; undefined when that was free. */
  used: { model: string; inputTokens: number; costUsd: string | undefined } | undefined;
}
