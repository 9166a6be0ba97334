/** What the service decides by the channel of a conversation. */
export interface ChannelRules {
  /** Its user writes and reads in it: a message continues it, and people of the team can write to the user. */
  continuedByUser: boolean;
  /** Its messages can be answered again and edited, which begins branches. */
  hasBranches: boolean;
  /** Listed without a channel filter. */
  listedByDefault: boolean;
  /** Replies get quality records, and answers are validated against their sources. */
  recordsQuality: boolean;
  /** Its turns are runs of an agent. */
  hasRuns: boolean;
  /** Its conversations are calls. */
  hasCalls: boolean;
  /** What the model is told about it. */
  modelNote?: string;
  /** Its turns end with the node that runs them instead of moving to another one. */
  pinnedToNode: boolean;
}

const common: ChannelRules = {
  continuedByUser: false,
  hasBranches: false,
  listedByDefault: true,
  recordsQuality: true,
  hasRuns: false,
  hasCalls: false,
  pinnedToNode: false,
};

/** Every channel there is. ARCHITECTURE.md says what else a new one needs. */
const channels = {
  chat: { ...common, continuedByUser: true, hasBranches: true },
  widget: { ...common, continuedByUser: true, hasBranches: true },
  agent: { ...common, hasRuns: true },
  voice: {
    ...common,
    hasCalls: true,
    pinnedToNode: true,
    modelNote:
      'This is a phone call: what you write is spoken, and what the caller says was transcribed, perhaps with mistakes. Answer in one to three short sentences of spoken language, without lists, markdown, emojis or web addresses. What the caller enters on the keypad is hidden from you and looks like `****1111 [keypad:1]`: to give it to a tool, pass `[keypad:1]` as the argument, and a tool that may have the digits gets them.',
  },
  evaluation: { ...common, listedByDefault: false, recordsQuality: false },
  test: { ...common, continuedByUser: true, listedByDefault: false, recordsQuality: false },
} satisfies Record<string, ChannelRules>;

export type Channel = keyof typeof channels;

export const channelNames = Object.keys(channels) as Channel[];

/** Shown only when they are asked for: tests of bots are not traffic. */
export const unlistedChannels = channelNames.filter((name) => !channels[name].listedByDefault);

/** In a rolling deployment a node can read a channel that only newer nodes know. */
export function rulesOf(channel: Channel): ChannelRules {
  return Object.hasOwn(channels, channel) ? channels[channel] : common;
}
