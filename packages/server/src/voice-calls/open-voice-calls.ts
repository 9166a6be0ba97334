import type { Feature, Services } from '../services.ts';
import { callRecordingRoutes } from './recordings/call-recordings.routes.ts';
import { createCallRecordings } from './recordings/call-recordings.service.ts';
import { createCallRecords } from './records/call-records.service.ts';
import { createVoiceCallService } from './voice-calls.service.ts';

export function openVoiceCalls(
  services: Pick<Services, 'billing' | 'clock' | 'database'>,
): Feature<Pick<Services, 'callRecordings' | 'callRecords' | 'voiceCalls'>> {
  const callRecordings = createCallRecordings(services);
  return {
    services: {
      voiceCalls: createVoiceCallService({ ...services, callRecordings }),
      callRecords: createCallRecords(services),
      callRecordings,
    },
    routes: [callRecordingRoutes],
  };
}
