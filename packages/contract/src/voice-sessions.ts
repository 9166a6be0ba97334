import { type Static, Type } from 'typebox';
import { callStatuses } from './calls.ts';
import { knownCost, Nullable, OneOf, Strict, Timestamp, Uuid } from './common.ts';
import { WidgetKeyQuery } from './widget-visitor.ts';

const sessionToken = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Of a call from a browser, as `POST /api/widget/voice/sessions` returned it.',
});
const tokenExample = `svc_vs_${'x'.repeat(43)}`;

export const VoiceSessionCreate = Strict({}, { examples: [{}] });
export type VoiceSessionCreate = Static<typeof VoiceSessionCreate>;

export const VoiceSession = Type.Object(
  {
    session_token: Type.String({ description: 'Opens one connection, and reads what the call has used.' }),
    conversation_id: Uuid,
    expires_at: Type.String({ format: 'date-time', description: 'The connection must be opened before.' }),
    max_seconds: Type.Integer({ description: 'The call is ended after this time.' }),
  },
  {
    $id: 'VoiceSession',
    examples: [
      {
        session_token: tokenExample,
        conversation_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e91',
        expires_at: '2026-11-15T09:31:00.000Z',
        max_seconds: 900,
      },
    ],
  },
);
export type VoiceSession = Static<typeof VoiceSession>;

export const VoiceUsageQuery = Strict({ session_token: sessionToken });
export const VisitorVoiceQuery = Strict({ ...WidgetKeyQuery.properties, session_token: sessionToken });

const visible = {
  session_token: Type.String(),
  bot_id: Uuid,
  status: OneOf(callStatuses),
  started_at: Nullable(Timestamp),
  seconds: Type.Integer({ description: 'How long the call has lasted; 0 before it is connected.' }),
  max_seconds: Type.Integer({ description: 'The call is ended after this time.' }),
};
const visibleExample = {
  session_token: tokenExample,
  bot_id: '0198c2a4-7d10-7c3e-9f4e-2b1a6c5d8e90',
  status: 'in_progress',
  started_at: '2026-11-15T09:30:02.000Z',
  seconds: 42,
  max_seconds: 900,
};

export const VoiceUsage = Type.Object(
  {
    ...visible,
    ...knownCost,
    balance_usd: Nullable(
      Type.String({ description: 'What the workspace has left; null if its balance is not limited.' }),
    ),
  },
  {
    $id: 'VoiceUsage',
    examples: [{ ...visibleExample, cost_usd: '0.0123', unpriced_models: [], balance_usd: '9.5' }],
  },
);
export type VoiceUsage = Static<typeof VoiceUsage>;

/** What the workspace pays is not for the visitors of its pages. */
export const VisitorVoiceUsage = Type.Object(visible, {
  $id: 'VisitorVoiceUsage',
  examples: [visibleExample],
});
export type VisitorVoiceUsage = Static<typeof VisitorVoiceUsage>;
