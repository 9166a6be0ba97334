import type { MeasuredService } from '../support/start-service.ts';

interface Conversation {
  id: string;
  call: { turns: { model_ms: number | null; speech_ms: number | null }[] };
}

/** What the service itself has recorded of the turns of its calls, in milliseconds. */
export async function readTurnTimes({
  url,
  key,
}: MeasuredService): Promise<{ model: number[]; speech: number[] }> {
  const read = async (path: string) => {
    const answer = await fetch(`${url}/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer.json();
  };
  const list = (await read('/conversations?channel=voice')) as Conversation[];
  const calls = await Promise.all(
    list.map(({ id }) => read(`/conversations/${id}`) as Promise<Conversation>),
  );
  const times = calls.flatMap(({ call }) => call.turns);
  const known = (values: (number | null)[]) => values.filter((value) => value !== null);
  return {
    model: known(times.map(({ model_ms: milliseconds }) => milliseconds)),
    speech: known(times.map(({ speech_ms: milliseconds }) => milliseconds)),
  };
}
