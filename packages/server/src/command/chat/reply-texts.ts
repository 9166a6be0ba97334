/** What to show next on a terminal, which cannot unprint text. */
export type Shown =
  | { kind: 'nothing' }
  | { kind: 'more'; text: string }
  /** Replaces what was shown before. */
  | { kind: 'instead'; text: string };

const nothing: Shown = { kind: 'nothing' };

/** The replies of a turn as far as they were shown. Duplicate deltas are ignored. */
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
    /** A delta that would leave a gap is ignored: a snapshot or the whole message has the missing text. */
    delta(messageId: string, offset: number, text: string): Shown {
      const before = texts.get(messageId) ?? '';
      const known = before.length - offset;
      if (whole.has(messageId) || known < 0 || known >= text.length) return nothing;
      return replace(messageId, before + text.slice(known));
    },

    /** The unfinished reply so far. */
    snapshot(messageId: string, text: string): Shown {
      return whole.has(messageId) ? nothing : replace(messageId, text);
    },

    /** The final reply. */
    completed(messageId: string, text: string): Shown {
      whole.add(messageId);
      return replace(messageId, text);
    },
  };
}
