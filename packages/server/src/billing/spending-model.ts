import { AppError } from '../app-error.ts';
import type { Model, ModelRequest, Usage } from '../models/model.ts';

/** Who pays for what a model is asked. */
export interface Spending {
  /** The request with the longest reply that there is money for. Throws INSUFFICIENT_BALANCE. */
  afford(request: ModelRequest): Promise<ModelRequest>;
  /** Told of everything that the provider counts, once each. */
  spent(usage: Usage): void;
  /** Whether what is left pays for the same request once more. */
  canRepeat(): boolean;
}

/** The same model; what is asked of it is set aside for before it is sent, and told as it is spent. */
export function spendingModel(model: Model, spending: Spending): Model {
  return {
    ...model,
    async reply(request, onPart, signal) {
      const affordable = await spending.afford(request);
      await model.reply(
        affordable,
        (part) => {
          if (part.type === 'finish' || part.type === 'lost') spending.spent(part.usage);
          onPart(part);
          if (part.type === 'lost' && part.isRepeated && !spending.canRepeat()) {
            throw new AppError('INSUFFICIENT_BALANCE');
          }
        },
        signal,
      );
    },
  };
}
