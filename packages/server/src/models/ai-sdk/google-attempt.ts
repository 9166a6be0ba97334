import type { Connection } from '../providers/provider.ts';
import type { ReplyAttempt } from '../reply-attempt.ts';
import { createAiSdkAttempt } from './ai-sdk-attempt.ts';
import { loadGoogle } from './load-google.ts';

export function createGoogleAttempt(connection: Connection): ReplyAttempt {
  return createAiSdkAttempt(
    async () => (await loadGoogle(connection))(connection.identity.modelName),
    connection,
  );
}
