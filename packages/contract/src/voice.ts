import { type Static, Type } from 'typebox';
import { Nullable } from './common.ts';

export const CatalogVoice = Type.Object({
  id: Type.String({
    description: 'For `tts_voice`: the provider and its own id of the voice.',
    examples: ['elevenlabs/JBFqnCBsd6RMkjVDRZzb'],
  }),
  name: Type.String({ examples: ['George'] }),
  language: Nullable(Type.String({ examples: ['en'] })),
  gender: Nullable(Type.String({ examples: ['male'] })),
});
export type CatalogVoice = Static<typeof CatalogVoice>;

export const VoiceCatalog = Type.Object({ voices: Type.Array(CatalogVoice) });
export type VoiceCatalog = Static<typeof VoiceCatalog>;

export const VoiceSampleQuery = Type.Object(
  { voice: Type.String({ minLength: 3, maxLength: 300, description: 'An id of the catalog.' }) },
  { additionalProperties: false },
);
export type VoiceSampleQuery = Static<typeof VoiceSampleQuery>;
