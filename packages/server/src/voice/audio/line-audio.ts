export { decodeAudio, encodeAudio } from '@svc/sip/audio-format';
