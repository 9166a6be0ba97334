import type { Model, ModelRequest } from '../../models/model.ts';
import type { QuotedPassage } from '../../models/passages.ts';

/** A question to a model. */
export interface Asked {
  /** Of its step in the trace: made first, so that it stands before what follows from the answer. */
  traceId: string;
  model: Model;
  request: ModelRequest;
  /** Everything that the reply can cite. */
  passages: readonly QuotedPassage[];
  startedAt: Date;
}
