import { AppError } from '../lib/app-error.ts';
import type { Model, ModelRequest, Usage } from '../models/model.ts';

/** Pays for the requests to a model. */
export interface Spending {
  /** The request, limited to the longest reply that there is money for. Throws INSUFFICIENT_BALANCE. */
  afford(request: ModelRequest): Promise<ModelRequest>;
  /** Receives each usage that the provider counts, once. */
  spent(usage: Usage): void;
  /** Whether what is left pays for a retry of the same request. */
  canRepeat(): boolean;
}

/** The same model: money is reserved before each request, and usage is passed on as it is reported. */
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
