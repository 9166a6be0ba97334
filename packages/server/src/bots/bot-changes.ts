import { assemblePrompt } from '@svc/contract/assemble-prompt';
import {
  BotSettings,
  type BotUpdate,
  PromptBuilder,
  type QualityFlag,
  qualityFlags,
} from '@svc/contract/bots';
import { invalid } from '../lib/app-error.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';
import { compileCheck } from '../validation/checker.ts';
import { readJsonField } from '../validation/json-text.ts';
import { reportTogether } from '../validation/report-together.ts';
import type { BotChange, BotRow, NextRun } from './bots.store.ts';
import { findSchedule, parseSchedule } from './schedule/schedule.ts';
import { nextSlot } from './schedule/slots.ts';

const checkSettings = compileCheck<BotSettings>(BotSettings);
const checkPromptBuilder = compileCheck<PromptBuilder>(PromptBuilder);
const settingNames = Object.keys(BotSettings.properties) as (keyof BotSettings)[];

/** A bot with only a name and a prompt. */
export const newBot = {
  description: '',
  promptBuilder: null,
  settings: {},
  status: 'active',
  botType: 'chatbot',
  schedule: null,
  nextRunAt: null,
  scheduleReadAt: null,
  agentGoal: null,
  outputConfig: null,
  maxIterations: 25,
  timeoutSeconds: null,
  metadata: {},
} as const;

/**
 * What a write body changes in a bot, or the fields of a new bot. Omitted fields stay unchanged. What is wrong with the body is
 * thrown together, including what `check` finds.
 */
export function botChange(
  body: BotUpdate,
  current: BotRow | undefined,
  now: Date,
  check?: (change: BotChange) => void,
): BotChange {
  return reportTogether((attempt) => {
    const change = withoutUndefined({
      name: body.name,
      description: body.description,
      ...attempt(() => promptChange(body)),
      settings: attempt(() => mergeSettings(current?.settings ?? {}, body)),
      status: body.status,
      botType: body.bot_type,
      agentGoal: body.agent_goal,
      schedule: body.schedule,
      outputConfig: body.output_config,
      maxIterations: body.max_iterations,
      timeoutSeconds: body.timeout_seconds,
      metadata: body.metadata,
    });
    const nextRun = attempt(() => nextRunChange(change, current, now));
    attempt(() => requireGoal(change, current));
    attempt(() => check?.(change));
    return { ...change, ...nextRun };
  });
}

/** A schedule without a goal runs nothing. A bot that was stored so can still be changed otherwise. */
function requireGoal(change: BotChange, current: BotRow | undefined): void {
  if (hasIdleSchedule({ ...newBot, ...current, ...change }) && !(current && hasIdleSchedule(current)))
    throw invalid('agent_goal', 'is needed by an agent with a schedule: it is what every run works towards');
}

/** A prompt that is sent is never empty, and neither is one that is assembled. */
export function requirePrompt({ system_prompt: prompt, prompt_builder: builder }: BotUpdate): void {
  if (prompt === undefined && (builder === undefined || builder === null))
    throw invalid('system_prompt', 'is required unless prompt_builder is given');
}

function hasIdleSchedule({ botType, schedule, agentGoal }: Goal): boolean {
  return botType === 'agent' && Boolean(schedule) && !agentGoal?.trim();
}

function promptChange(body: BotUpdate): Pick<BotChange, 'systemPrompt' | 'promptBuilder'> {
  if (body.prompt_builder === undefined) return withoutUndefined({ systemPrompt: body.system_prompt });
  if (body.prompt_builder === null) {
    return withoutUndefined({ promptBuilder: null, systemPrompt: body.system_prompt });
  }
  const promptBuilder = readJsonField(body.prompt_builder, 'prompt_builder', checkPromptBuilder);
  const systemPrompt = body.system_prompt ?? assemblePrompt(promptBuilder);
  if (!systemPrompt) throw invalid('prompt_builder', 'must say something');
  return { promptBuilder, systemPrompt };
}

/** `null` clears a key. Every save turns off the quality flags that it does not send. */
export function mergeSettings(stored: BotSettings, body: BotUpdate): BotSettings {
  const sent = { ...readSettings(body), ...pickSettings(body) };
  const kept = Object.entries({ ...withoutFlags(stored), ...sent }).filter(
    ([name, value]) => value !== null && !(isFlag(name) && value === false),
  );
  return Object.fromEntries(kept);
}

function readSettings(body: BotUpdate): BotSettings {
  return body.settings === undefined ? {} : readJsonField(body.settings, 'settings', checkSettings);
}

function pickSettings(body: BotUpdate): BotSettings {
  return Object.fromEntries(
    settingNames.filter((name) => body[name] !== undefined).map((name) => [name, body[name]]),
  );
}

function withoutFlags(settings: BotSettings): BotSettings {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !isFlag(name)));
}

function isFlag(name: string): name is QualityFlag {
  return (qualityFlags as readonly string[]).includes(name);
}

/** The change that restores a configuration, with the next run that follows from it. */
export function restoringChange(columns: BotChange, current: BotRow, now: Date): BotChange {
  requireGoal(columns, current);
  return { ...columns, ...nextRunChange(columns, current, now) };
}

type Goal = Pick<BotRow, 'botType' | 'schedule' | 'agentGoal'>;
type Scheduled = Pick<BotRow, 'schedule' | 'status' | 'botType'>;

const unscheduled: Scheduled = { schedule: null, status: 'active', botType: 'chatbot' };

/**
 * The next slot is computed again when the schedule changes, or whether it applies. A schedule in a request must have a
 * slot at some time, even on chatbots and inactive bots, where it is not used.
 */
function nextRunChange(change: BotChange, current: BotRow | undefined, now: Date): Partial<NextRun> {
  if (typeof change.schedule === 'string' && !nextSlot(parseSchedule(change.schedule), now))
    throw invalid('schedule', 'never comes: the calendar has no such day');
  const before = current ?? unscheduled;
  const { schedule, status, botType }: Scheduled = { ...before, ...change };
  if (!schedule || botType !== 'agent' || status !== 'active') return { nextRunAt: null };
  const isSame = schedule === before.schedule && status === before.status && botType === before.botType;
  if (isSame && current?.nextRunAt) return {};
  const readable = findSchedule(schedule);
  const slot = readable && nextSlot(readable, now);
  return slot ? { nextRunAt: slot, scheduleReadAt: now } : { nextRunAt: null };
}
