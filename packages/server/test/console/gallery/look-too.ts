import { once } from 'node:events';
import { makeMember } from '../../support/members.ts';
import type { ConsoleStage } from '../support/console.ts';
import { connectLive } from '../support/live-client.ts';

const everyMilliseconds = 2_000;

/** Another member has the conversation open and writes a reply, until the returned function is called. */
export async function lookToo(stage: ConsoleStage, conversationId: string): Promise<() => void> {
  const member = await makeMember(stage, { role: 'operator', name: 'Grace Brewster Murray Hopper' });
  const { send, socket } = connectLive(stage.url, member);
  await once(socket, 'open');
  send({ type: 'follow', conversation_id: conversationId });
  const look = () => send({ type: 'look', conversation_id: conversationId, is_typing: true });
  look();
  const timer = setInterval(look, everyMilliseconds);
  return () => {
    clearInterval(timer);
    socket.terminate();
  };
}
