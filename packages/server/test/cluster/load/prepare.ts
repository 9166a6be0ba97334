import type { Client } from './client.ts';
import { writeDirective } from './directive.ts';

export interface Prepared {
  botId: string;
  agentIds: string[];
  /** It runs every minute. */
  scheduledId: string;
  /** A tool that needs no approval. */
  effectToolId: string;
}

/** All runs of the schedule have it. */
export const scheduledTag = 'scheduled';

const parameters = {
  type: 'object',
  properties: { ref: { type: 'string' }, note: { type: 'string' } },
  required: ['ref', 'note'],
  additionalProperties: false,
};

/** The bot, the agents and their tools. One agent also runs every minute. */
export async function prepare(client: Client, effectsUrl: string, agents: number): Promise<Prepared> {
  const make = async (path: string, body: object): Promise<string> => {
    const reply = await client.call(`POST ${path}`, { body, idempotencyKey: crypto.randomUUID() });
    if (reply?.status !== 201) throw new Error(`POST ${path} failed: ${JSON.stringify(reply)}`);
    return reply.body.id;
  };
  const toolIds: string[] = [];
  for (const [name, approval] of [
    ['effect', 'never'],
    ['pay', 'always'],
  ]) {
    const configuration = {
      method: 'POST',
      url: `${effectsUrl}/${name}`,
      body_type: 'json',
      body: { ref: '{{ref}}', note: '{{note}}' },
      parameters,
      approval,
    };
    const body = { tool_type: 'http_request', name, description: `Does ${name}.`, configuration };
    toolIds.push(await make('/api/v1/tools', body));
  }
  const assignments = toolIds.map((id) => ({ tool_type: 'http_request', tool_configuration_id: id }));
  const makeBot = async (fields: object): Promise<string> => {
    const botId = await make('/api/v1/bots', { system_prompt: 'Follow the directive.', ...fields });
    const assigned = await client.call('POST /api/v1/tools/assign', { body: { bot_id: botId, assignments } });
    if (assigned?.status !== 200) throw new Error(`Tools cannot be assigned: ${JSON.stringify(assigned)}`);
    return botId;
  };
  const botId = await makeBot({ name: 'Chat' });
  const agentIds: string[] = [];
  for (let index = 0; index < agents; index += 1) {
    agentIds.push(
      await makeBot({ name: `Agent ${index}`, bot_type: 'agent', agent_goal: 'Do what the payload says.' }),
    );
  }
  const directive = { tag: scheduledTag, words: [20], pace: 5, calls: [], failures: {} };
  const scheduledId = await makeBot({
    name: 'Scheduled',
    bot_type: 'agent',
    agent_goal: writeDirective(directive),
    schedule: '* * * * *',
  });
  return { botId, agentIds, scheduledId, effectToolId: toolIds[0] ?? '' };
}
