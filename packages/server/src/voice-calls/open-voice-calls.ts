import type { Feature, Services } from '../services.ts';
import { createCallRecords } from './records/call-records.service.ts';
import { createVoiceCallService } from './voice-calls.service.ts';

export function openVoiceCalls(
  services: Pick<Services, 'billing' | 'clock' | 'database'>,
): Feature<Pick<Services, 'callRecords' | 'voiceCalls'>> {
  return {
    services: { voiceCalls: createVoiceCallService(services), callRecords: createCallRecords(services) },
  };
}
