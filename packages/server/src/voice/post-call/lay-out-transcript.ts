const maxLength = 50_000;
const speakers: Partial<Record<string, string>> = { user: 'Caller', assistant: 'Bot' };

/** One line for each message. Of a very long call the middle is left out. */
export function layOutTranscript(messages: readonly { role: string; content: string }[]): string {
  const lines = messages.flatMap(({ role, content }) => {
    const speaker = speakers[role];
    const said = content.replaceAll(/\s+/g, ' ').trim();
    return speaker && said ? `${speaker}: ${said}` : [];
  });
  const whole = lines.join('\n');
  if (whole.length <= maxLength) return whole;
  const half = maxLength / 2 - 5;
  return `${whole.slice(0, half)}\n[…]\n${whole.slice(-half)}`.toWellFormed();
}
