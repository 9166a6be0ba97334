import type { ConsoleModels } from '@svc/contract/console-bots';
import type { ModelRegistry } from '../../models/model-registry.ts';

export interface ModelListDependencies {
  models: Pick<ModelRegistry, 'known' | 'configured' | 'defaultModelId' | 'priceOf' | 'missing'>;
}

/** The models that bots can use, for people who choose one. */
export function listModels({ models }: ModelListDependencies): ConsoleModels {
  return {
    default_model: models.defaultModelId(),
    is_built_in_only: models.configured().length === 0,
    models: models.known().map(({ id, provider }) => {
      const price = models.priceOf(id);
      return {
        id,
        provider,
        price: price ? { input: price.input, cached_input: price.cachedInput, output: price.output } : null,
      };
    }),
    variables: models.missing(),
  };
}
