import type { Model, ModelRequest, Usage } from '../../models/model.ts';
import { costOf } from '../../models/prices.ts';
import { estimateTokens } from '../../models/token-estimate.ts';
import { newId } from '../../new-id.ts';
import type { EmbeddingUse } from '../../tools/service.ts';
import type { TurnDependencies } from '../dependencies.ts';
import type { UsageEntry } from '../step-write.ts';

export function usageEntry(
  model: Pick<Model, 'id'>,
  usage: Usage,
  { models }: Pick<TurnDependencies, 'models'>,
): UsageEntry {
  const price = models.priceOf(model.id);
  return { id: newId(), model: model.id, usage, cost: price ? costOf(usage, price) : 0n };
}

/** What it took to understand a question to the knowledge. */
export function embeddingEntries(
  used: EmbeddingUse | undefined,
  dependencies: Pick<TurnDependencies, 'models'>,
): UsageEntry[] {
  if (!used || used.inputTokens === 0) return [];
  const usage = { inputTokens: used.inputTokens, cachedInputTokens: 0, outputTokens: 0 };
  return [usageEntry({ id: used.model }, usage, dependencies)];
}

/** For a reply whose provider did not say: it counts what it sent, whether it was needed to the end or not. */
export function guessUsage(request: ModelRequest, text: string): Usage {
  const asked = estimateTokens(
    (request.system ?? '') + request.messages.map(({ content }) => content).join('\n'),
  );
  return { inputTokens: asked, cachedInputTokens: 0, outputTokens: estimateTokens(text), estimated: true };
}
