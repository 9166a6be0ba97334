/** What the generator is asked to do. */
export type Job =
  | TurnsJob
  | OpenReadersJob
  | ReaderLagsJob
  | CloseReadersJob
  | BeginRequestsJob
  | EndRequestsJob;

/** Of every reply of the model in `support/model.ts`. */
export const tokensPerTurn = 60;
/** How long a paced reply takes, with a little to spare. */
export const secondsPerTurn = 1.25;

export interface TurnsJob {
  kind: 'turns';
  /** Several addresses get the messages round robin. */
  url: string | string[];
  headers: Record<string, string>;
  body: object;
  /** Every message comes from a user who never wrote before. */
  newUsers?: boolean;
  /** Each message goes to the next one. Their number is a multiple of the streams, so that no conversation gets two at once. */
  conversations?: string[];
  /** What the last bytes of a good answer hold. */
  endMark: string;
  /** How many turns run concurrently, each followed by the next. */
  streams: number;
  /** Until then, or this many in all. */
  until: { seconds: number } | { turns: number };
  /** Streams begin spread over this time. */
  spreadMilliseconds?: number;
}

export interface OpenReadersJob {
  kind: 'open-readers';
  url: string;
  headers: Record<string, string>;
  /** One reader each. */
  paths: string[];
  /** Every nth reader records the lag of tokens; left out: none does. */
  measureEvery?: number;
  /** Opens one connection at a time: several processes behind one port then take them one after the other. */
  inOrder?: boolean;
}

/** Waits until the readers that record lags have received this many tokens together. */
export interface ReaderLagsJob {
  kind: 'reader-lags';
  tokens: number;
}

export interface CloseReadersJob {
  kind: 'close-readers';
}

/** Runs beside other jobs until it is ended. */
export interface BeginRequestsJob {
  kind: 'begin-requests';
  url: string;
  headers: Record<string, string>;
  /** With one it is a POST. */
  body?: object;
  connections: number;
}

export interface EndRequestsJob {
  kind: 'end-requests';
}

export interface RequestsOutcome {
  answered: number;
  /** With 429. */
  refused: number;
}

export interface Spread {
  p50: number;
  p95: number;
}

export interface TurnsOutcome {
  turns: number;
  milliseconds: number;
  /** Milliseconds to the first token. */
  first: Spread;
  whole: Spread;
  /** Milliseconds from the model's write of a token to its arrival; of paced replies only. */
  lag?: Spread;
}
