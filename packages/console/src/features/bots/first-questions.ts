/** What came with the draft of a bot: questions to try it with, and what is still to be done. */
interface FirstQuestions {
  questions: string[];
  notes: string[];
}

const keyOf = (botId: string) => `svc-first-questions-${botId}`;

/** Kept for this tab only. */
export function rememberQuestions(botId: string, first: FirstQuestions): void {
  try {
    sessionStorage.setItem(keyOf(botId), JSON.stringify(first));
  } catch {
    // Without storage the questions come from the knowledge of the bot.
  }
}

export function recallQuestions(botId: string): FirstQuestions | undefined {
  try {
    const stored = sessionStorage.getItem(keyOf(botId));
    return stored ? (JSON.parse(stored) as FirstQuestions) : undefined;
  } catch {
    return undefined;
  }
}
