/** What the generator is asked to do. */
export type Job =
  | TurnsJob
  | OpenReadersJob
  | ReaderLagsJob
  | CloseReadersJob
  | BeginRequestsJob
  | EndRequestsJob;

/** Of the model that the load is made with. */
export const tokensPerTurn = 60;

export interface TurnsJob {
  kind: 'turns';
  /** Several get a message each in turn. */
  url: string | string[];
  headers: Record<string, string>;
  body: object;
  /** Every message comes from somebody who never wrote before. */
  newUsers?: boolean;
  /** Where the messages go, each to the next; a multiple of the streams, so that no two meet in one. */
  conversations?: string[];
  /** What the last bytes of a good answer hold. */
  endMark: string;
  /** How many turns go on at once, each followed by the next. */
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
  /** How late tokens come is noted by every nth reader; left out: by none. */
  measureEvery?: number;
  /** One connection at a time, which several processes behind one port take in turn. */
  inOrder?: boolean;
}

/** Waits until the readers that note them have got this many tokens together. */
export interface ReaderLagsJob {
  kind: 'reader-lags';
  tokens: number;
}

export interface CloseReadersJob {
  kind: 'close-readers';
}

/** Goes on beside other jobs until it is ended. */
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
