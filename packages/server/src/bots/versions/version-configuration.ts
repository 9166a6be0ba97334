import { isDeepStrictEqual } from 'node:util';
import type { BotConfiguration, BotTool } from '@svc/contract/bot-versions';
import type { BotRow } from '../bots.store.ts';

type Configured = Pick<
  BotRow,
  | 'name'
  | 'description'
  | 'systemPrompt'
  | 'promptBuilder'
  | 'settings'
  | 'botType'
  | 'schedule'
  | 'agentGoal'
  | 'outputConfig'
  | 'maxIterations'
  | 'timeoutSeconds'
>;

/** The part of a bot that versions store. */
export function configurationOf(bot: Configured, tools: BotTool[]): BotConfiguration {
  return {
    name: bot.name,
    description: bot.description,
    system_prompt: bot.systemPrompt,
    prompt_builder: bot.promptBuilder,
    settings: bot.settings,
    bot_type: bot.botType,
    schedule: bot.schedule,
    agent_goal: bot.agentGoal,
    output_config: bot.outputConfig,
    max_iterations: bot.maxIterations,
    timeout_seconds: bot.timeoutSeconds,
    tools,
  };
}

/** The columns of a bot that a version restores. */
export function columnsOf(configuration: BotConfiguration): Configured & Pick<BotRow, 'toolCount'> {
  return {
    name: configuration.name,
    description: configuration.description,
    systemPrompt: configuration.system_prompt,
    promptBuilder: configuration.prompt_builder,
    settings: configuration.settings,
    botType: configuration.bot_type,
    schedule: configuration.schedule,
    agentGoal: configuration.agent_goal,
    outputConfig: configuration.output_config,
    maxIterations: configuration.max_iterations,
    timeoutSeconds: configuration.timeout_seconds,
    toolCount: configuration.tools.length,
  };
}

/** Names of the fields that differ, by the names that a write body has for them; the order of keys does not matter. */
export function changedFields(before: BotConfiguration, after: BotConfiguration): string[] {
  const [one, other] = [flat(before), flat(after)];
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => !isDeepStrictEqual(one[name], other[name])).toSorted();
}

function flat({ settings, ...fields }: BotConfiguration): Record<string, unknown> {
  return { ...settings, ...fields };
}
