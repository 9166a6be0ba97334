import type { History } from '../history.ts';
import { runAgentClient } from './agent-client.ts';
import { runApprover } from './approver.ts';
import { runChatClient } from './chat-client.ts';
import type { Client } from './client.ts';
import { createFollowers, type Followers } from './followers.ts';
import { runKeyClient } from './key-client.ts';
import type { Prepared } from './prepare.ts';

export interface Load {
  /** Begins nothing new; resolves when the clients have finished what they were doing. */
  finish(): Promise<void>;
  followers: Followers;
  /** Ends the approvers. */
  stop(): Promise<void>;
}

const chatClients = 8;
const competitors = 2;

/** The clients of each round have names of their own. */
export function startLoad(
  seed: number,
  history: History,
  client: Client,
  prepared: Prepared,
  round = 0,
): Load {
  const named = (name: string) => (round === 0 ? name : `round${round}-${name}`);
  let isEnding = false;
  let isOver = false;
  const followers = createFollowers(seed, history, client);
  const scene = { seed, history, client, followers, ...prepared, isEnding: () => isEnding };
  const clients = Array.from({ length: chatClients }, (_, index) =>
    runChatClient(scene, named(`chat${index}`)),
  );
  for (const [index, agentId] of prepared.agentIds.entries()) {
    for (let competitor = 0; competitor < competitors; competitor += 1) {
      clients.push(runAgentClient(scene, named(`agent${index}-${competitor}`), agentId));
    }
  }
  clients.push(runKeyClient(scene, named('keys')));
  const approvers = Array.from({ length: 3 }, (_, index) =>
    runApprover(scene, named(`approver${index}`), { answersAll: index === 0, isOver: () => isOver }),
  );
  return {
    followers,
    async finish() {
      isEnding = true;
      await Promise.all(clients);
    },
    async stop() {
      isOver = true;
      await Promise.all(approvers);
    },
  };
}
