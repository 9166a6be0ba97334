import type { Channel } from '@svc/contract/channels';

const names: Record<Channel, { one: string; all: string }> = {
  chat: { one: 'API chat', all: 'API chat' },
  widget: { one: 'Widget', all: 'Website widget' },
  agent: { one: 'Run', all: 'Runs' },
  voice: { one: 'Call', all: 'Calls' },
  evaluation: { one: 'Evaluation', all: 'Evaluations' },
  test: { one: 'Test chat', all: 'Test chat' },
};

/** What people call a conversation of a channel, or all of them. */
export function channelName(channel: string, of: 'one' | 'all' = 'one'): string {
  const known: Partial<Record<string, { one: string; all: string }>> = names;
  return known[channel]?.[of] ?? channel;
}
