/** The formats of all lines, which browsers and Twilio share with the telephones of SIP trunks. */
export {
  type AudioFormat,
  bytesPerMs,
  durationMs,
  frameBytes,
  frameMs,
  sampleRateOf,
  silence,
} from '@svc/sip/audio-format';
