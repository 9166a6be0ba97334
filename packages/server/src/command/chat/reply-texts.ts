/** What a reader who cannot take back what was shown does next. */
export type Shown =
  | { kind: 'nothing' }
  | { kind: 'more'; text: string }
  /** What was shown before does not count any more. */
  | { kind: 'instead'; text: string };

const nothing: Shown = { kind: 'nothing' };

/** The replies of a turn as far as they were shown. Doubles and pieces out of order change nothing. */
export function createReplyTexts() {
  const texts = new Map<string, string>();
  const whole = new Set<string>();

  function replace(messageId: string, text: string): Shown {
    const before = texts.get(messageId) ?? '';
    texts.set(messageId, text);
    if (text === before) return nothing;
    if (text.startsWith(before)) return { kind: 'more', text: text.slice(before.length) };
    return { kind: 'instead', text };
  }

  return {
    /** A piece that leaves a hole before it is left out: a snapshot or the whole message brings what is missing. */
    delta(messageId: string, offset: number, text: string): Shown {
      const before = texts.get(messageId) ?? '';
      const known = before.length - offset;
      if (whole.has(messageId) || known < 0 || known >= text.length) return nothing;
      return replace(messageId, before + text.slice(known));
    },

    /** The unfinished reply as it stands. */
    snapshot(messageId: string, text: string): Shown {
      return whole.has(messageId) ? nothing : replace(messageId, text);
    },

    /** The reply as it stays. */
    completed(messageId: string, text: string): Shown {
      whole.add(messageId);
      return replace(messageId, text);
    },
  };
}
