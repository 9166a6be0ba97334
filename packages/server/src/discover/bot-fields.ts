import { assemblePrompt } from '@svc/contract/assemble-prompt';
import { BotCreate, PromptBuilder } from '@svc/contract/bots';
import type { BotService } from '../bots/bots.service.ts';
import { AppError } from '../lib/app-error.ts';
import { compileCheck } from '../validation/checker.ts';
import { clip } from '../validation/clip.ts';
import { isObject } from '../validation/json-schema/check.ts';
import { guardWritten } from './guard-written.ts';
import type { Notes } from './notes.ts';

const checkShape = compileCheck<BotCreate>(BotCreate);
const maxNameLength = 100;
/** Bounds the time spent on unknown fields of a reply. */
const maxUnknownFields = 100;

/** What a model may decide besides the name and the prompt; each is validated together with those before it. */
const optionalFields = [
  'description',
  'chat_greeting',
  'voice_greeting',
  'temperature',
  'bot_type',
  'agent_goal',
  'schedule',
  'output_config',
  'max_iterations',
  'timeout_seconds',
  'persistent_conversation',
] as const;
/** These have code of their own. */
const readElsewhere = ['name', 'prompt_builder', 'system_prompt', 'settings'];

/**
 * Makes a body for POST /bots of what a model wrote. Invalid optional fields are left out with a note, so that the rest
 * can be created. Throws VALIDATION_FAILED when the name or the prompt is invalid.
 */
export async function readBotFields(
  written: Record<string, unknown>,
  bots: Pick<BotService, 'checkNew'>,
  notes: Notes,
): Promise<BotCreate> {
  const fields = { ...objectOf(written['settings'], 'settings'), ...written };
  const check = async (body: unknown): Promise<BotCreate> => {
    const checked = checkShape(body, '');
    await bots.checkNew(checked);
    return checked;
  };
  let draft = await check({ name: fields['name'], ...promptOf(fields, notes) });
  for (const field of optionalFields) {
    const value = field === 'output_config' ? withoutWebhook(fields[field], notes) : fields[field];
    if (value === undefined || value === null) continue;
    try {
      draft = await check({ ...draft, [field]: value });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      notes.add(`Left out of the draft: ${clip(error.message, 1_000)}`, field);
    }
  }
  noteOthers(fields, notes);
  return draft;
}

function noteOthers(fields: Record<string, unknown>, notes: Notes): void {
  const known = [...readElsewhere, ...optionalFields];
  const others = Object.keys(fields).filter((name) => !known.includes(name));
  for (const field of others.slice(0, maxUnknownFields)) {
    const isOfBots = Object.hasOwn(BotCreate.properties, field);
    const why = isOfBots ? 'its owner has to decide it' : 'a bot has no such field';
    notes.add(`Left out of the draft, because ${why}.`, clip(field, maxNameLength));
  }
}

/** The valid parts of the builder with the prompt assembled from them, or else the prompt that the model wrote. */
function promptOf(
  fields: Record<string, unknown>,
  notes: Notes,
): Pick<BotCreate, 'prompt_builder' | 'system_prompt'> {
  const builder = builderOf(objectOf(fields['prompt_builder'], 'prompt_builder'), notes);
  const assembled = assemblePrompt(builder);
  if (assembled) return { prompt_builder: builder, system_prompt: assembled };
  if (typeof fields['system_prompt'] === 'string') return { system_prompt: fields['system_prompt'] };
  const message = 'must say who the bot is and what it does';
  throw new AppError('VALIDATION_FAILED', {
    message: `prompt_builder ${message}`,
    details: [{ path: 'prompt_builder', message }],
  });
}

const checkBuilder = compileCheck<PromptBuilder>(PromptBuilder);

function builderOf(written: Record<string, unknown>, notes: Notes): PromptBuilder {
  let builder: PromptBuilder = {};
  for (const [name, value] of Object.entries(written).slice(0, maxUnknownFields)) {
    if (value === null) continue;
    const isSingle = typeof value === 'string' && (name === 'instructions' || name === 'constraints');
    try {
      builder = checkBuilder({ ...builder, [name]: isSingle ? [value] : value }, 'prompt_builder');
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const place = `prompt_builder.${clip(name, maxNameLength)}`;
      notes.add(`Left out of the draft: ${clip(error.message, 1_000)}`, place);
    }
  }
  return builder;
}

/** Every output would be sent to an address that the model invented. */
function withoutWebhook(value: unknown, notes: Notes): unknown {
  if (!isObject(value) || value['webhook_url'] === undefined) return value;
  const { webhook_url: _madeUp, ...rest } = value;
  notes.add('Left out of the draft, because its owner has to decide it.', 'output_config.webhook_url');
  return rest;
}

/** Some models encode an object as a string, which the guard has not looked into yet. */
function objectOf(value: unknown, field: string): Record<string, unknown> {
  if (isObject(value)) return value;
  const read = typeof value === 'string' ? parsed(value) : undefined;
  if (!isObject(read)) return {};
  guardWritten(read, field);
  return read;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON, so there is nothing to read.
    return undefined;
  }
}
