const names: Record<string, string> = {
  chat: 'API chat',
  widget: 'Website widget',
  agent: 'Runs',
  voice: 'Calls',
  evaluation: 'Evaluations',
  test: 'Test chat',
};

/** What people call a channel. */
export function channelName(channel: string): string {
  return names[channel] ?? channel;
}
