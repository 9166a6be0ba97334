import { X509Certificate } from 'node:crypto';
import type { SipSettings, TrunkAddress } from '@svc/sip/sip-options';
import ipaddr from 'ipaddr.js';
import { withoutUndefined } from '../lib/without-undefined.ts';
import { ConfigError } from './config-error.ts';
import type { ConfigReader } from './config-reader.ts';

/** How the service reaches telephones. */
export type VoiceConfig = ({ transport: 'twilio' } & TwilioConfig) | ({ transport: 'sip' } & SipSettings);

export interface TwilioConfig {
  accountSid: string;
  authToken: string;
  /** Another address than Twilio's own. */
  baseUrl?: string;
}

const sipPort = 5060;
const maxPort = 65_535;

export function readVoiceConfig(read: ConfigReader): VoiceConfig | undefined {
  const transport = read.oneOf('SVC_VOICE_TRANSPORT', ['twilio', 'sip']);
  if (transport === 'twilio') return { transport, ...readTwilio(read) };
  if (transport === 'sip') return { transport, ...readSip(read) };
  return undefined;
}

function readTwilio(read: ConfigReader): TwilioConfig {
  const accountSid = read.matching(
    'TWILIO_ACCOUNT_SID',
    /^AC[0-9a-fA-F]{32}$/,
    'must be AC and 32 hex digits',
  );
  const authToken = read.secret('TWILIO_AUTH_TOKEN');
  if (!accountSid || !authToken) {
    const missing = accountSid ? 'TWILIO_AUTH_TOKEN' : 'TWILIO_ACCOUNT_SID';
    throw new ConfigError(`${missing} is required with SVC_VOICE_TRANSPORT=twilio.`);
  }
  return withoutUndefined({ accountSid, authToken, baseUrl: read.url('TWILIO_BASE_URL') });
}

function readSip(read: ConfigReader): SipSettings {
  const trunk = parseTrunk(read.text('SIP_TRUNK_URI'));
  const username = read.text('SIP_USERNAME');
  const password = read.secret('SIP_PASSWORD');
  if ((username === undefined) !== (password === undefined)) {
    throw new ConfigError('SIP_USERNAME and SIP_PASSWORD must be set together.');
  }
  const isRegistering = read.oneOf('SIP_REGISTER', ['true', 'false']) === 'true';
  if (isRegistering && username === undefined) {
    throw new ConfigError('SIP_USERNAME is required with SIP_REGISTER=true.');
  }
  const min = read.integer('RTP_PORT_MIN', 1_024, 65_534) ?? 10_000;
  const max = read.integer('RTP_PORT_MAX', 1_025, 65_535) ?? 20_000;
  if (max <= min) throw new ConfigError('RTP_PORT_MAX must be greater than RTP_PORT_MIN.');
  const [publicIp, ...others] = read.networks('SIP_PUBLIC_IP');
  if (others.length > 0 || publicIp?.includes('/')) {
    throw new ConfigError('SIP_PUBLIC_IP must be one address.');
  }
  const allowedPeers = read.networks('SIP_ALLOWED_PEERS');
  if (trunk.tls && allowedPeers.length > 0) {
    throw new ConfigError(
      'SIP_ALLOWED_PEERS cannot be used with TLS: calls come over the connection to the trunk.',
    );
  }
  return withoutUndefined({
    trunk,
    username,
    password,
    isRegistering,
    listen: parseListen(read.text('SIP_LISTEN') ?? `0.0.0.0:${sipPort}`),
    publicIp,
    rtpPorts: { min, max },
    allowedPeers,
    mediaPeers: read.networks('SIP_MEDIA_PEERS'),
    realms: read.list('SIP_REALM'),
    srtp: readSrtp(read, trunk),
    tlsCa: readTlsCa(read),
  });
}

function parseTrunk(value: string | undefined): TrunkAddress {
  if (value === undefined) throw new ConfigError('SIP_TRUNK_URI is required with SVC_VOICE_TRANSPORT=sip.');
  const [, scheme, host, port, transport = scheme === 'sips' ? 'tls' : 'udp'] =
    /^(sips?):([\w.-]+|\[[0-9a-fA-F:.]+\])(?::(\d{1,5}))?(?:;transport=(udp|tls))?$/.exec(value) ?? [];
  const isPort = port === undefined || (Number(port) >= 1 && Number(port) <= maxPort);
  if (host === undefined || !isPort || (scheme === 'sips' && transport === 'udp'))
    throw new ConfigError(
      'SIP_TRUNK_URI must look like sip:trunk.example.com or sip:trunk.example.com:5060, or for TLS like sips:trunk.example.com or sip:trunk.example.com;transport=tls.',
    );
  return {
    host,
    ...(port !== undefined && { port: Number(port) }),
    ...(transport === 'tls' && { tls: scheme === 'sips' ? 'sips' : 'sip' }),
  };
}

/** Keys for audio are only ever sent over TLS; over UDP everybody on the way could read them. */
function readSrtp(read: ConfigReader, trunk: TrunkAddress): SipSettings['srtp'] {
  const policies = ['required', 'optional', 'off'] as const;
  const named = read.oneOf('SIP_SRTP', [...policies]);
  const srtp = policies.find((policy) => policy === named) ?? (trunk.tls ? 'required' : 'off');
  if (!trunk.tls && srtp !== 'off') throw new ConfigError('SIP_SRTP needs a trunk with TLS.');
  return srtp;
}

function readTlsCa(read: ConfigReader): string | undefined {
  const ca = read.secret('SIP_TLS_CA');
  if (ca === undefined || isCertificate(ca)) return ca;
  throw new ConfigError('SIP_TLS_CA must be certificates in the PEM format.');
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).raw.length > 0;
  } catch {
    // Whatever it is, TLS could not use it.
    return false;
  }
}

function parseListen(value: string): SipSettings['listen'] {
  const [, host, port] = /^([\w.-]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})$/.exec(value) ?? [];
  const isAddress = ipaddr.isValid(host?.replaceAll(/[[\]]/g, '') ?? '');
  if (host === undefined || !isAddress || Number(port) > maxPort)
    throw new ConfigError('SIP_LISTEN must be an address and a port, like 0.0.0.0:5060 or [::]:5060.');
  return { host, port: Number(port) };
}
