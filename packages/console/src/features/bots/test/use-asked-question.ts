import { useEffect, useEffectEvent } from 'react';
import { useSearchState } from '../../../app/workspace.tsx';

/** Asks the question in the address, `?ask=`, once the bot can answer. */
export function useAskedQuestion(isReady: boolean, ask: (question: string) => void): void {
  const [search, setSearch] = useSearchState();
  const question = search['ask'];
  const start = useEffectEvent((asked: string) => {
    setSearch({ ask: undefined });
    ask(asked);
  });
  useEffect(() => {
    if (question && isReady) start(question);
  }, [question, isReady]);
}
