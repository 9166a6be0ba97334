/** The fields of a call that a template can name. */
export const callFields = [
  'call_id',
  'direction',
  'from_number',
  'to_number',
  'status',
  'end_reason',
  'duration_seconds',
  'cost_usd',
  'answered_at',
  'ended_at',
  'bot_id',
] as const;
export type CallField = (typeof callFields)[number];

export const placeholderNames: readonly string[] = [
  ...callFields.map((field) => `call.${field}`),
  // All of them, as an object.
  'call.*',
  'transcript',
  'summary',
  'conversation_id',
];

/** Chooses among the functions of a tool that offers several; not an argument, and nothing is filled in. */
export const functionKey = '$function';

export const maxDepth = 32;

/** Neither brace can be part of a name, so that a search takes linear time. */
export const placeholder = /\{\{([^{}]*)\}\}/g;
/** The whole text is one placeholder. */
export const lonePlaceholder = /^\{\{([^{}]*)\}\}$/;
