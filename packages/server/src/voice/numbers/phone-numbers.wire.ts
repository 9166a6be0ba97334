import type { VoiceNumber, VoiceNumberUpdate } from '@svc/contract/voice-numbers';
import type { VoiceNumberChange, VoiceNumberRow } from './phone-numbers.store.ts';

export function toWire(row: VoiceNumberRow, botName: string): VoiceNumber {
  return {
    id: row.id,
    phone_number: row.phoneNumber,
    bot_id: row.botId,
    bot_name: botName,
    tenant_id: row.workspaceId,
    greeting: row.greeting,
    tts_voice: row.ttsVoice,
    metadata: row.metadata,
    is_outbound_primary: row.isOutboundPrimary,
    outbound_capable: row.outboundCapable,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** What a body says itself: which number is the primary one depends on others. */
export function toChange(body: VoiceNumberUpdate): VoiceNumberChange {
  return {
    ...(body.bot_id !== undefined && { botId: body.bot_id }),
    ...(body.greeting !== undefined && { greeting: body.greeting }),
    ...(body.tts_voice !== undefined && { ttsVoice: body.tts_voice }),
    ...(body.metadata !== undefined && { metadata: body.metadata }),
  };
}

type Audited = Omit<VoiceNumberRow, 'id' | 'workspaceId' | 'createdAt' | 'updatedAt'>;

/** Under the names that a write body has. */
export function auditedFields(row: Audited): object {
  return {
    phone_number: row.phoneNumber,
    bot_id: row.botId,
    greeting: row.greeting,
    tts_voice: row.ttsVoice,
    metadata: row.metadata,
    outbound_capable: row.outboundCapable,
    is_outbound_primary: row.isOutboundPrimary,
  };
}
