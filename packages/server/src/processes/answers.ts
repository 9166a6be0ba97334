import { setTimeout as sleep } from 'node:timers/promises';

/** What one process asks another by messages. A process that does not answer in time has no answer. */
export function createAnswers<Answer>(withinMilliseconds: number) {
  const waiting = new Map<number, (answer: Answer) => void>();
  let lastId = 0;
  return {
    async ask(send: (id: number) => void): Promise<Answer | undefined> {
      lastId += 1;
      const id = lastId;
      const { promise, resolve } = Promise.withResolvers<Answer>();
      waiting.set(id, resolve);
      send(id);
      const answer = await Promise.race([promise, sleep(withinMilliseconds, undefined, { ref: false })]);
      waiting.delete(id);
      return answer;
    },
    receive: (id: number, answer: Answer): void => waiting.get(id)?.(answer),
  };
}
