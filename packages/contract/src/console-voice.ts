import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Uuid } from './common.ts';

const Providers = (description: string) => Type.Array(Type.String(), { description });

export const VoiceReport = Type.Object(
  {
    transport: Nullable(OneOf(['twilio', 'sip'], { description: 'How telephones are reached.' })),
    webhooks: Nullable(
      Type.Object(
        { incoming: Type.String(), status: Type.String() },
        { description: 'The addresses to enter at Twilio; null with another transport.' },
      ),
    ),
    listening: Providers('What can turn speech into text, the preferred first.'),
    speaking: Providers('What can turn text into speech, the preferred first.'),
    local: Type.Object(
      { listening: Type.Boolean(), speaking: Type.Boolean() },
      { description: 'Which parts of the speech that needs no provider are installed.' },
    ),
    listening_lag_ms: Type.Integer({
      description:
        'How far local speech recognition is behind what callers say, at worst during the last seconds, on the node that answers.',
    }),
    unheard_bots: Type.Array(Uuid, {
      description: 'Bots whose language is not understood on calls: their callers are told so.',
    }),
    problems: Type.Array(Type.String(), { description: 'What calls lack, and what to do about it.' }),
    dialing: Type.Object(
      {
        destinations: Type.Array(Type.String(), {
          description:
            'Where calls and transfers may go besides the country that they come from: countries, `premium`, `satellite`, `all`, and single numbers.',
        }),
        calls_per_hour: Nullable(Type.Integer()),
        calls_per_day: Nullable(Type.Integer()),
      },
      { description: 'What bots of this workspace may dial; null means as often as they like.' },
    ),
    free_numbers: Nullable(
      Type.Array(Type.String(), {
        description:
          'Assigned to this workspace and not in use. Null in the only workspace, which may use any number of the account.',
      }),
    ),
  },
  {
    $id: 'VoiceReport',
    examples: [
      {
        transport: 'twilio',
        webhooks: {
          incoming: 'https://svc.example.com/voice/twilio/incoming',
          status: 'https://svc.example.com/voice/twilio/status',
        },
        listening: ['deepgram', 'local'],
        speaking: ['elevenlabs', 'local'],
        local: { listening: true, speaking: true },
        listening_lag_ms: 0,
        unheard_bots: [],
        problems: [],
        dialing: { destinations: ['AT', 'CH'], calls_per_hour: 100, calls_per_day: 500 },
        free_numbers: ['+12025550100'],
      },
    ],
  },
);
export type VoiceReport = Static<typeof VoiceReport>;
