import { newId } from '../../lib/new-id.ts';
import type { Model, Usage } from '../../models/model.ts';
import { costOf } from '../../models/prices.ts';
import type { EmbeddingUse } from '../../tools/tools.service.ts';
import type { TurnDependencies } from '../turn-dependencies.ts';
import type { UsageEntry } from '../write/step-changes.ts';

export function usageEntry(
  model: Pick<Model, 'id'>,
  usage: Usage,
  { models }: Pick<TurnDependencies, 'models'>,
): UsageEntry {
  const price = models.priceOf(model.id);
  return { id: newId(), model: model.id, usage, cost: price ? costOf(usage, price) : null };
}

/** What embedding a query used. */
export function embeddingEntries(
  used: EmbeddingUse | undefined,
  dependencies: Pick<TurnDependencies, 'models'>,
): UsageEntry[] {
  if (!used || used.inputTokens === 0) return [];
  const usage = { inputTokens: used.inputTokens, cachedInputTokens: 0, outputTokens: 0 };
  return [{ ...usageEntry({ id: used.model }, usage, dependencies), isPaid: used.isPaid }];
}
