import { describe, expect, it } from 'vitest';
import { answerChallenge, chooseChallenge } from './digest.ts';

function answer(values: string[], cnonce: string, password: string, uri: string): string {
  const challenge = chooseChallenge(values);
  if (!challenge) throw new Error('No challenge that we can answer.');
  const credentials = { username: 'Mufasa', password };
  return answerChallenge({ challenge, credentials, method: 'GET', uri, cnonce, count: 1 });
}

describe('digest', () => {
  it('gives the response of RFC 2617', () => {
    const value =
      'Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"';
    const written = answer([value], '0a4f113b', 'Circle Of Life', '/dir/index.html');
    expect(written).toContain('response="6629fae49393a05397450978507c4ef1"');
    expect(written).toContain('opaque="5ccc069c403ebaf9f0171e9517f40e41"');
    expect(written).toContain('nc=00000001');
  });

  const offered = (algorithm: string) =>
    `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`;
  const cnonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';

  it('gives the responses of RFC 7616, the stronger one if there is a choice', () => {
    expect(answer([offered('MD5')], cnonce, 'Circle of Life', '/dir/index.html')).toContain(
      'response="8ca523f5e9506fed4657c9700eebdbec"',
    );
    expect(
      answer([offered('MD5'), offered('SHA-256')], cnonce, 'Circle of Life', '/dir/index.html'),
    ).toContain('response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"');
  });

  it('answers old challenges without qop and none that it does not know', () => {
    expect(answer(['Digest realm="r", nonce="n"'], 'c', 'p', 'sip:a')).not.toContain('qop');
    expect(
      chooseChallenge(['Basic realm="r"', 'Digest realm="r", nonce="n", algorithm=SHA-512-256']),
    ).toBeUndefined();
    expect(chooseChallenge(['Digest realm="r", nonce="n", stale=TRUE'])?.isStale).toBe(true);
  });
});
