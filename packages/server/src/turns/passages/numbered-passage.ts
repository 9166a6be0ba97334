import type { Citation } from '@svc/contract/conversations';

/** A passage as the model is shown it: the number is what it cites by. */
export interface NumberedPassage extends Citation {
  number: number;
}
