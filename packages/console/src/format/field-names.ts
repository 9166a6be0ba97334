/** What people call the fields of the API whose names say it less well. */
const names: Record<string, string> = {
  bot_type: 'type',
  system_prompt: 'prompt',
  agent_goal: 'goal',
  output_config: 'output',
  webhook_url: 'webhook',
  max_iterations: 'iterations',
  timeout_seconds: 'time limit',
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
  enable_agent_tracing: 'tracing',
  enable_confidence_scoring: 'confidence scoring',
  enable_response_validation: 'validation',
  external_user_id: 'person',
  avatar_url: 'picture',
  url: 'URL',
  assignments: 'tools',
};

/** A field as people call it within a sentence, by its path: `system_prompt` is "prompt", `turns.0` "turns 1". */
export function fieldWords(path: string): string {
  return path
    .replace(/^(configuration|settings)\./, '')
    .split('.')
    .map((part) =>
      /^\d+$/.test(part)
        ? String(Number(part) + 1)
        : (Object.hasOwn(names, part) && names[part]) || part.replaceAll('_', ' '),
    )
    .join(' ');
}

/** The same where it stands alone: "Prompt". */
export function fieldName(path: string): string {
  const words = fieldWords(path);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
