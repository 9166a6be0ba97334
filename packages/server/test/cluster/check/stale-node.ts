import { holds, type Probe, watchTurn } from './watched-turn.ts';

/**
 * A node is paused while it writes a reply, and continues when another node has begun the same step: the model's answer is
 * complete by then, so that the first thing it does is to write a step of a turn that it has lost.
 */
export async function checkStaleNode(probe: Probe): Promise<void> {
  const { stage, history } = probe;
  const [node] = stage.nodes;
  if (!node || stage.nodes.length * stage.processes < 2) return;
  const tag = 'stale';
  const turn = await watchTurn(probe, node, { tag, words: [120], pace: 60, calls: [], failures: {} });
  if (!turn) return;
  await holds(() => turn.sent.events.some(({ event }) => event === 'message.delta'));
  const [owner] = await stage.postgres.query<{ id: string; pid: number }>(
    'select nodes.id, process_id as pid from turns join nodes on nodes.id = node_id where turns.id = $1',
    [turn.turnId],
  );
  if (!owner) {
    return history.find({
      what: 'a turn is over or has no node while it is written',
      ids: [tag, turn.turnId],
    });
  }
  history.announce(`fault: pause process ${owner.pid} until another has begun the step that it is writing`);
  process.kill(owner.pid, 'SIGSTOP');
  try {
    if (!(await holds(hasBegunElsewhere))) {
      history.find({ what: 'the turn of a paused node was not taken over', ids: [tag, turn.turnId] });
    }
  } finally {
    process.kill(owner.pid, 'SIGCONT');
  }
  history.note(`process ${owner.pid} continues`);
  await turn.finish();
  const written = await stage.postgres.query<{ content: string }>(
    `select content from messages where turn_id = $1 and role = 'assistant'`,
    [turn.turnId],
  );
  for (const { content } of written) {
    if (!content.startsWith(`${tag}/0/1/`)) continue;
    history.find({
      what: 'a node wrote a step of a turn that another had taken over',
      ids: [tag, turn.turnId, turn.conversationId, String(owner.pid)],
      detail: content,
    });
  }

  async function hasBegunElsewhere(): Promise<boolean> {
    const [found] = await stage.postgres.query<{ begun: boolean }>(
      'select node_id <> $2 and cardinality(reply_ids) > 1 as begun from turns where id = $1',
      [turn?.turnId, owner?.id],
    );
    return found?.begun === true;
  }
}
