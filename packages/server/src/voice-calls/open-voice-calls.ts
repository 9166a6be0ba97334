import type { Feature, Services } from '../services.ts';
import { callRecordingRoutes } from './recordings/call-recordings.routes.ts';
import { createCallRecordings } from './recordings/call-recordings.service.ts';
import { createRecordingMover } from './recordings/move-recording.ts';
import { createCallRecords } from './records/call-records.service.ts';
import { createVoiceCallService } from './voice-calls.service.ts';

export function openVoiceCalls(
  services: Pick<Services, 'billing' | 'clock' | 'database' | 'files' | 'jobs'>,
): Feature<Pick<Services, 'callRecordings' | 'callRecords' | 'recordingMover' | 'voiceCalls'>> {
  const callRecordings = createCallRecordings(services);
  return {
    services: {
      voiceCalls: createVoiceCallService({ ...services, callRecordings }),
      callRecords: createCallRecords(services),
      callRecordings,
      recordingMover: createRecordingMover({ ...services, callRecordings }),
    },
    routes: [callRecordingRoutes],
  };
}
