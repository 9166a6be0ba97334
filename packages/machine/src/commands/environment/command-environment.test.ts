import { expect, it } from 'vitest';
import { commandEnvironment } from './command-environment.ts';

it('passes on what tools need, and no secrets', () => {
  const environment = commandEnvironment(
    {
      PATH: '/usr/bin',
      LC_ALL: 'C.UTF-8',
      SVC_MACHINE_KEY: 'svc_mk_x',
      AWS_SECRET_ACCESS_KEY: 'x',
      SSH_AUTH_SOCK: '/run/agent',
      GITHUB_TOKEN: 'x',
      NODE_OPTIONS: '--require=/tmp/x.js',
      LD_PRELOAD: '/tmp/x.so',
      HTTPS_PROXY: 'http://proxy:3128',
      http_proxy: 'http://name:password@proxy:3128',
      path: '/not/on/linux',
    },
    'linux',
  );
  expect(environment).toMatchObject({
    PATH: '/usr/bin',
    LC_ALL: 'C.UTF-8',
    HTTPS_PROXY: 'http://proxy:3128',
  });
  expect(Object.keys(environment).toSorted()).toEqual([
    'GIT_CONFIG_COUNT',
    'GIT_CONFIG_KEY_0',
    'GIT_CONFIG_VALUE_0',
    'GIT_PAGER',
    'GIT_TERMINAL_PROMPT',
    'HTTPS_PROXY',
    'LC_ALL',
    'PAGER',
    'PATH',
    'TERM',
  ]);
});

it('ignores the case of names on Windows', () => {
  const environment = commandEnvironment(
    { Path: 'C:\\Windows', SystemRoot: 'C:\\Windows', Secret: 'x' },
    'win32',
  );
  expect(environment).toMatchObject({ Path: 'C:\\Windows', SystemRoot: 'C:\\Windows' });
  expect(environment).not.toHaveProperty('Secret');
});
