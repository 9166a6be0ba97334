import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProgram } from './program.ts';
import { freeUdpPorts } from './udp-port.ts';

export interface SippOptions {
  folder: string;
  /** Where it calls. */
  port: number;
  /** The number that it calls. */
  to: string;
  /** How many callers call at the same time. */
  callers: number;
  /** Raw μ-law at 8 kHz, which every caller plays. */
  plays: string;
  talkMs: number;
}

export interface SippResult {
  exitCode: number | null;
  output: string;
}

/** Callers that all call at once, talk, and hang up. Resolves when they are done: 0 if every call went as it should. */
export async function runSipp(options: SippOptions): Promise<SippResult> {
  const { folder, port, to, callers, talkMs } = options;
  await mkdir(folder, { recursive: true });
  const file = join(folder, 'caller.xml');
  await writeFile(file, scenario(options));
  const own = await freeUdpPorts(1);
  const audio = await freeUdpPorts(callers * 4 + 2);
  const args = [
    [`127.0.0.1:${port}`],
    ['-sf', file, '-s', to, '-i', '127.0.0.1', '-p', String(own), '-mi', '127.0.0.1'],
    ['-m', String(callers), '-l', String(callers), '-r', String(callers), '-rp', '100'],
    ['-mp', String(audio)],
    ['-d', String(talkMs), '-nostdin', '-timeout', '60', '-timeout_error', '-trace_err'],
  ].flat();
  const program = startProgram('sipp', args, folder);
  try {
    return { exitCode: await program.ended(), output: program.output };
  } finally {
    await program.stop();
  }
}

function scenario({ plays }: SippOptions): string {
  const dialog = `Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
      From: <sip:+4930[call_number]@[local_ip]:[local_port]>;tag=[pid]SIPp[call_number]
      Call-ID: [call_id]
      Contact: <sip:caller@[local_ip]:[local_port]>
      Max-Forwards: 70`;
  return `<?xml version="1.0" encoding="ISO-8859-1" ?>
<!DOCTYPE scenario SYSTEM "sipp.dtd">
<scenario name="caller">
  <send retrans="500"><![CDATA[

      INVITE sip:[service]@[remote_ip]:[remote_port] SIP/2.0
      ${dialog}
      To: <sip:[service]@[remote_ip]:[remote_port]>
      CSeq: 1 INVITE
      Content-Type: application/sdp
      Content-Length: [len]

      v=0
      o=caller 1 1 IN IP[local_ip_type] [local_ip]
      s=-
      c=IN IP[media_ip_type] [media_ip]
      t=0 0
      m=audio [rtpstream_audio_port] RTP/AVP 0
      a=rtpmap:0 PCMU/8000

  ]]></send>
  <recv response="100" optional="true"></recv>
  <recv response="180" optional="true"></recv>
  <recv response="200" rrs="true"></recv>
  <send><![CDATA[

      ACK [next_url] SIP/2.0
      ${dialog}
      To: <sip:[service]@[remote_ip]:[remote_port]>[peer_tag_param]
      CSeq: 1 ACK
      Content-Length: 0

  ]]></send>
  <nop><action><exec rtp_stream="${plays},-1,0" /></action></nop>
  <pause />
  <send retrans="500"><![CDATA[

      BYE [next_url] SIP/2.0
      ${dialog}
      To: <sip:[service]@[remote_ip]:[remote_port]>[peer_tag_param]
      CSeq: 2 BYE
      Content-Length: 0

  ]]></send>
  <recv response="200"></recv>
</scenario>
`;
}
