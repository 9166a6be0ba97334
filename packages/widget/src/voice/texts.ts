/** The texts of calls, which are loaded with the first one. Other languages come with the look. */
export const englishVoiceTexts = {
  voiceConnecting: 'Connecting…',
  voiceListening: 'Listening',
  voiceThinking: 'Thinking…',
  voiceSpeaking: 'Speaking',
  voiceMuted: 'Microphone off',
  voiceMute: 'Turn the microphone off',
  voiceHangUp: 'Hang up',
  voiceTimeLeft: 'Time left',
  voiceRefused: 'The microphone is blocked. Allow it for this site in your browser, then try again.',
  voiceMissing: 'No microphone was found.',
  voiceElsewhere: 'You are already talking in another window.',
  voiceTimeUp: 'The time for this call is over.',
  voiceEnded: 'The call has ended.',
  voiceFailed: 'The call was cut off.',
};

export type VoiceTexts = Readonly<typeof englishVoiceTexts>;
