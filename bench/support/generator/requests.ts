import { Agent, request } from 'node:http';
import type { BeginRequestsJob, RequestsOutcome } from './job.ts';

/** Asks as fast as the answers come, until told to end. Answers are read and forgotten, whatever they are. */
export function createRequests() {
  let ending: (() => Promise<RequestsOutcome>) | undefined;

  return {
    begin({ url, headers, body, connections }: BeginRequestsJob): number {
      const agent = new Agent({ keepAlive: true, maxSockets: connections });
      const text = body === undefined ? undefined : JSON.stringify(body);
      const outcome: RequestsOutcome = { answered: 0, refused: 0 };
      let isOver = false;

      function ask(): Promise<void> {
        return new Promise((resolve) => {
          const outgoing = request(
            url,
            {
              agent,
              method: text === undefined ? 'GET' : 'POST',
              headers: { ...headers, ...(text !== undefined && { 'content-type': 'application/json' }) },
            },
            (incoming) => {
              if (incoming.statusCode === 429) outcome.refused += 1;
              else outcome.answered += 1;
              incoming.resume().once('close', resolve);
            },
          );
          // The end of the flood cuts what is under way.
          outgoing.once('error', () => resolve());
          outgoing.end(text);
        });
      }

      const askers = Array.from({ length: connections }, async () => {
        while (!isOver) await ask();
      });
      ending = async () => {
        isOver = true;
        agent.destroy();
        await Promise.all(askers);
        return outcome;
      };
      return connections;
    },

    async end(): Promise<RequestsOutcome> {
      const outcome = (await ending?.()) ?? { answered: 0, refused: 0 };
      ending = undefined;
      return outcome;
    },
  };
}
