import { ApiError } from '@svc/client/api-error';
import type { BotTool } from '@svc/contract/bot-versions';
import type { BotSettings, BotUpdate, OutputConfig, PromptBuilder } from '@svc/contract/bots';
import type { ConsoleBot } from '@svc/contract/console-bots';
import type { ToolAssignment } from '@svc/contract/tools';
import type { FieldSchema } from '../../../kit/schema-fields.ts';
import { UnreadableJson } from '../../../kit/unreadable-json.ts';

/** While it is typed, the schema may be text that is not JSON yet. */
export type FormOutput = Omit<OutputConfig, 'schema'> & { schema?: FieldSchema | UnreadableJson };

/** What the editor of a bot changes. */
export interface BotForm {
  name: string;
  description: string;
  bot_type: 'chatbot' | 'agent';
  system_prompt: string;
  prompt_builder: PromptBuilder | null;
  settings: BotSettings;
  agent_goal: string | null;
  schedule: string | null;
  output_config: FormOutput | null;
  max_iterations: number | undefined;
  timeout_seconds: number | null | undefined;
  tools: BotTool[];
}

/** A saved bot as a form. */
export function formOf(bot: ConsoleBot, tools: readonly ToolAssignment[]): BotForm {
  return {
    name: bot.name,
    description: bot.description,
    bot_type: bot.bot_type,
    system_prompt: bot.system_prompt,
    prompt_builder: bot.prompt_builder ? (JSON.parse(bot.prompt_builder) as PromptBuilder) : null,
    settings: JSON.parse(bot.settings) as BotSettings,
    agent_goal: bot.agent_goal,
    schedule: bot.schedule,
    output_config: bot.output_config,
    max_iterations: bot.max_iterations,
    timeout_seconds: bot.timeout_seconds,
    tools: tools.map(({ tool: _shown, ...assignment }) => assignment),
  };
}

/** A tool as a bot is first given it; without a configuration, by its type alone. */
export function newAssignment(type: string, configurationId: string | null): BotTool {
  return {
    tool_type: type,
    tool_configuration_id: configurationId,
    tool_instructions: '',
    speak_during_execution: false,
    speak_after_execution: false,
    tool_error_handling_mode: 'passthrough',
  };
}

/** The service keeps a number that is not sent, so one that was cleared is sent as what it is without one. */
const defaultIterations = 25;

/** Throws if the form has something that cannot even be sent. */
export function requireSendable({ output_config: output }: BotForm): void {
  const schema = output?.schema;
  if (!(schema instanceof UnreadableJson)) return;
  const { reason } = schema;
  throw new ApiError({
    status: 400,
    code: 'VALIDATION_FAILED',
    message: `The JSON Schema of the result (Schedule) ${reason}.`,
    details: [{ path: 'output_config.schema', message: reason }],
  });
}

/** The body that saves a form. Settings that it no longer has are cleared. */
export function fieldsOf(form: BotForm, saved: BotForm): BotUpdate {
  const { settings, tools: _assigned, max_iterations, ...fields } = form;
  const cleared = Object.keys(saved.settings)
    .filter((name) => !(name in settings))
    .map((name) => [name, null]);
  return {
    ...fields,
    max_iterations: max_iterations ?? defaultIterations,
    timeout_seconds: form.timeout_seconds ?? null,
    ...Object.fromEntries(cleared),
    ...settings,
  } as BotUpdate;
}

/** Switches that are on unless a bot says otherwise; all others are off. */
const onByDefault = new Set<string>(['keypad_masking'] satisfies (keyof BotSettings)[]);

export function isOnByDefault(name: string): boolean {
  return onByDefault.has(name);
}

/** A copy of settings with one changed; undefined, null, an empty text and the default of a switch remove it. */
export function withSetting<Name extends keyof BotSettings>(
  settings: BotSettings,
  name: Name,
  value: BotSettings[Name] | undefined,
): BotSettings {
  const { [name]: _before, ...others } = settings;
  const isEmpty = value === undefined || value === null || value === '' || value === isOnByDefault(name);
  return isEmpty ? others : { ...others, [name]: value };
}

/** The changes of a form, made to a newer version: what the form did not change is as in the newer one. */
export function onTopOf(newer: BotForm, form: BotForm, saved: BotForm): BotForm {
  const { settings, ...fields } = form;
  const { settings: savedSettings, ...savedFields } = saved;
  return {
    ...newer,
    ...changedIn(fields, savedFields),
    settings: withoutAbsent({ ...newer.settings, ...changedIn(settings, savedSettings) }),
  };
}

/** Undefined for what is no longer there. */
function changedIn<Values extends object>(after: Values, before: Values): Partial<Values> {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof Values)[];
  const changed = names.filter((name) => !isSame(after[name] ?? null, before[name] ?? null));
  return Object.fromEntries(changed.map((name) => [name, after[name]])) as Partial<Values>;
}

function withoutAbsent<Values extends object>(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Values;
}

export function isSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

/** JSON whose keys are in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}
