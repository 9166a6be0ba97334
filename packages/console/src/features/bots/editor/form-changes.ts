import { type BotForm, isOnByDefault, isSame } from './bot-form.ts';

const labels: Record<string, string> = {
  name: 'name',
  description: 'description',
  bot_type: 'type',
  system_prompt: 'prompt',
  prompt_builder: 'prompt builder',
  agent_goal: 'goal',
  schedule: 'schedule',
  output_config: 'output',
  max_iterations: 'iterations',
  timeout_seconds: 'time limit',
  tools: 'tools',
  model: 'model',
  temperature: 'temperature',
  max_steps: 'steps',
  chat_greeting: 'greeting',
  tts_provider: 'speech provider',
  tts_voice: 'voice',
  voice_greeting: 'greeting on calls',
  end_call_enabled: 'hanging up',
  call_transfer_enabled: 'transferring calls',
  call_transfer_number: 'number for transfers',
  call_transfer_announcement: 'announcement of transfers',
  keypad_masking: 'masking of keypad input',
  call_patience: 'patience on calls',
  call_interruption: 'interruptions on calls',
  record_calls: 'recording of calls',
  recording_announcement: 'announcement of recordings',
  recording_retention_days: 'retention of recordings',
  outbound_calls_enabled: 'outbound calls',
  max_call_seconds: 'length of calls',
  approval_notice: 'approval notices',
  persistent_conversation: 'persistent conversation',
  enable_agent_tracing: 'tracing',
  enable_confidence_scoring: 'confidence scoring',
  safe_message: 'safe message',
  enable_response_validation: 'validation',
};

export interface FormChange {
  field: string;
  label: string;
  /** `.7 → .2`, where both are short. */
  detail: string | undefined;
}

/** What a form would change, in words. */
export function changesIn(form: BotForm, saved: BotForm): FormChange[] {
  const [before, after] = [flat(saved), flat(form)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => !isSame(before[name] ?? null, after[name] ?? null))
    .map((field) => ({
      field,
      label: labels[field] ?? field.replaceAll('_', ' '),
      detail: detailOf(field, before[field], after[field]),
    }));
}

/** `prompt, temperature .7 → .2`. */
export function describeChanges(changes: readonly FormChange[]): string {
  return changes.map(({ label, detail }) => (detail ? `${label} ${detail}` : label)).join(', ');
}

function flat({ settings, ...fields }: BotForm): Record<string, unknown> {
  return { ...fields, ...settings };
}

const maxDetailLength = 40;

function detailOf(field: string, before: unknown, after: unknown): string | undefined {
  if (typeof before === 'boolean' || typeof after === 'boolean') {
    return (after ?? isOnByDefault(field)) ? 'on' : 'off';
  }
  const [one, other] = [short(before), short(after)];
  if (one === undefined || other === undefined) return undefined;
  return `${one} → ${other}`;
}

function short(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return 'none';
  if (typeof value === 'number') return String(value).replace(/^0\./, '.');
  return typeof value === 'string' && value.length <= maxDetailLength && !value.includes('\n')
    ? value
    : undefined;
}
