import type { KnownPassage } from '../../../models/passages.ts';
import type { EmbeddingUse } from '../../../tools/tools.service.ts';

/** Finds passages that the bot may answer from. */
export interface PassageSearch {
  /** Best first; none when nothing fits. */
  search(question: PassageQuestion, signal: AbortSignal): Promise<FoundPassages>;
}

export interface PassageQuestion {
  workspaceId: string;
  botId: string;
  query: string;
  limit: number;
  turn: { conversationId: string; turnId: string; isMetered: boolean };
}

export interface FoundPassages {
  passages: KnownPassage[];
  /** What embedding the query used; undefined if no embedder was asked. */
  used: EmbeddingUse | undefined;
}
