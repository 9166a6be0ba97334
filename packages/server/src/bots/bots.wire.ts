import type { Bot } from '@svc/contract/bots';
import type { BotRow } from './bots.store.ts';

export function toWire(row: BotRow): Bot {
  return {
    id: row.id,
    tenant_id: row.workspaceId,
    name: row.name,
    description: row.description,
    system_prompt: row.systemPrompt,
    prompt_builder: row.promptBuilder && JSON.stringify(row.promptBuilder),
    settings: JSON.stringify(row.settings),
    status: row.status,
    bot_type: row.botType,
    schedule: row.schedule,
    next_run_at: row.nextRunAt?.toISOString() ?? null,
    last_run_at: row.lastRunAt?.toISOString() ?? null,
    agent_goal: row.agentGoal,
    output_config: row.outputConfig,
    max_iterations: row.maxIterations,
    timeout_seconds: row.timeoutSeconds,
    metadata: row.metadata,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}
