import type { Model, ModelRequest } from '../../models/model.ts';
import type { QuotedPassage } from '../../models/passages.ts';

/** A request to a model. */
export interface Asked {
  /** Of its trace step. Made before the request is sent, so that the step sorts before those that follow. */
  traceId: string;
  model: Model;
  request: ModelRequest;
  /** Everything that the reply can cite. */
  passages: readonly QuotedPassage[];
  startedAt: Date;
}
