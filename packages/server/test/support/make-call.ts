import type { CallDirection, CallEndReason, CallStatus } from '@svc/contract/calls';
import type { Database } from '../../src/database/database.ts';
import { sql } from '../../src/database/drizzle.ts';
import { createFileService } from '../../src/files/files.service.ts';
import { newId } from '../../src/lib/new-id.ts';
import {
  createCallRecordings,
  partBytesOf,
} from '../../src/voice-calls/recordings/call-recordings.service.ts';
import { voiceCallStore } from '../../src/voice-calls/voice-calls.store.ts';
import type { TestApp } from './test-app.ts';

interface WantedCall {
  botId: string;
  direction?: CallDirection;
  status?: CallStatus;
  /** Null while it lasts. */
  endReason?: CallEndReason | null;
  /** What the caller said, and what was heard of the answer: an exchange with its latencies. */
  heard?: string;
  said?: string;
  /** Its sound, of at most a few seconds: both channels in µ-law at 8 kHz. */
  recording?: Buffer;
}

/** What writes recordings while calls last. */
export const recordingsInDatabase = (database: Database) =>
  createCallRecordings({ database, files: createFileService({ database }, undefined) });

/** Writes the record of a call as the exchange does, without a line. Returns the id of its conversation. */
export async function makeCall({ database }: Pick<TestApp, 'database'>, wanted: WantedCall): Promise<string> {
  const { botId, direction = 'inbound', status = 'completed', endReason = 'caller_hung_up' } = wanted;
  const id = newId();
  const turnId = newId();
  const { rows } = await database.acrossWorkspaces.execute<{ workspace_id: string }>(
    sql`insert into conversations (id, workspace_id, bot_id, channel, title, metadata)
        select ${id}, workspace_id, id, 'voice', 'Call from +15550123', '{}' from bots where id = ${botId}
        returning workspace_id`,
  );
  const workspaceId = rows[0]?.workspace_id ?? '';
  const [from, to] = ['+15550123', '+15550100'];
  const answeredAt = status === 'no_answer' ? null : new Date(Date.now() - 75_000);
  await database.acrossWorkspaces.transaction((tx) =>
    voiceCallStore.insert(tx, workspaceId, {
      id,
      botId,
      direction,
      transport: 'sip',
      fromNumber: direction === 'outbound' ? to : from,
      toNumber: direction === 'outbound' ? from : to,
      status,
      endReason,
      endDetail: null,
      maxSeconds: 600,
      answeredAt,
      endedAt: endReason === null ? null : new Date(),
      deadlineAt: new Date(Date.now() + 3_600_000),
      costUsd: '0.0123',
      summary: wanted.heard ? 'The caller asked about a parcel and was told that it is in Cologne.' : null,
    }),
  );
  const place = sql`workspace_id, conversation_id, turn_id`;
  const messages = { heard: newId(), said: newId() };
  if (wanted.recording) {
    const recordings = recordingsInDatabase(database);
    await recordings.begin({ id, workspaceId, botId }, 8_000);
    const marks = [
      { turnId, atMs: 0 },
      { messageId: messages.said, atMs: 1_000 },
    ];
    const audio = wanted.recording.subarray(0, partBytesOf(8_000));
    await recordings.append({ id, workspaceId }, { position: 0, audio, bytes: audio.length, marks });
  }
  if (wanted.heard === undefined) return id;
  await database.acrossWorkspaces.execute(sql`insert into turns (id, workspace_id, conversation_id, bot_id, status, ended_at)
    values (${turnId}, ${workspaceId}, ${id}, ${botId}, 'completed', now())`);
  await database.acrossWorkspaces.execute(sql`insert into messages (id, ${place}, sequence, role, content, interrupted, created_at) values
    (${messages.heard}, ${workspaceId}, ${id}, ${turnId}, 1, 'user', ${wanted.heard}, false, now()),
    (${messages.said}, ${workspaceId}, ${id}, ${turnId}, 2, 'assistant', ${wanted.said ?? ''}, true, now())`);
  const times = { endOfTurnMs: 300, textMs: 120, modelMs: 640, speechMs: 90, interrupted: true };
  await voiceCallStore.saveTurn(database.acrossWorkspaces, { workspaceId, id }, { turnId, ...times });
  const hook = { toolConfigurationId: newId(), toolType: 'http_request', paramsTemplate: {} };
  const hooks = ['Note taker', 'CRM'].map((toolName, position) => ({
    ...hook,
    id: newId(),
    hookId: newId(),
    toolName,
    position,
  }));
  await database.acrossWorkspaces.transaction((tx) =>
    voiceCallStore.insertHooks(tx, { workspaceId, id }, hooks),
  );
  const ended = { startedAt: new Date(), endedAt: new Date() };
  const pending = (position: number) => ({
    workspaceId,
    id: hooks[position]?.id ?? '',
    status: 'pending' as const,
  });
  await voiceCallStore.changeHook(database.acrossWorkspaces, pending(0), {
    status: 'ok',
    ...ended,
  });
  await voiceCallStore.changeHook(database.acrossWorkspaces, pending(1), {
    status: 'error',
    error: 'The CRM answered with status 500.',
    ...ended,
  });
  return id;
}
